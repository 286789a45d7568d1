"""What the service answers when it does not do what was asked: status, code and sentence of each."""

from collections.abc import Mapping
from typing import Final

# The sentences follow the service's, so that a log of one reads like a log of the other.
_KNOWN: Final[Mapping[str, tuple[int, str]]] = {
    "AuthenticationFailed": (
        403,
        (
            "Server failed to authenticate the request. Make sure the value of Authorization header is formed "
            "correctly including the signature."
        ),
    ),
    "AuthorizationFailure": (403, "This request is not authorized to perform this operation."),
    "AuthorizationPermissionMismatch": (
        403,
        "This request is not authorized to perform this operation using this permission.",
    ),
    "AuthorizationProtocolMismatch": (
        403,
        "This request is not authorized to perform this operation using this protocol.",
    ),
    "AuthorizationResourceTypeMismatch": (
        403,
        "This request is not authorized to perform this operation using this resource type.",
    ),
    "AuthorizationServiceMismatch": (
        403,
        "This request is not authorized to perform this operation using this service.",
    ),
    "AuthorizationSourceIPMismatch": (
        403,
        "This request is not authorized to perform this operation using this source IP {}.",
    ),
    "CannotDeleteFileOrDirectory": (
        409,
        "The file or directory could not be deleted because it is in use by an SMB client.",
    ),
    "CannotVerifyCopySource": (403, "This request is not authorized to perform this operation."),
    "DeletePending": (409, "The specified resource is marked for deletion by an SMB client."),
    "DeleteShareWhenSnapshotLeased": (409, "Unable to delete share because one or more share snapshots have leases."),
    "DirectoryNotEmpty": (409, "The specified directory is not empty."),
    "FileInvalidPermission": (400, "The specified file permission is not valid."),
    "FileLockConflict": (409, "A portion of the specified file is locked by an SMB client."),
    "InvalidAuthenticationInfo": (
        400,
        "Authentication information is not given in the correct format. Check the value of Authorization header.",
    ),
    "InvalidFileOrDirectoryPathName": (
        400,
        "The specified file or directory path name is too long or contains characters that are not allowed.",
    ),
    "InvalidHeaderValue": (400, "The value for one of the HTTP headers is not in the correct format."),
    "InvalidMetadata": (400, "The metadata specified is invalid. It has characters that are not permitted."),
    "InvalidQueryParameterValue": (
        400,
        "Value for one of the query parameters specified in the request URI is invalid.",
    ),
    "InvalidRange": (416, "The range specified is invalid for the current size of the resource."),
    # The misspelling is the service's.
    "InvalidResourceName": (400, "The specifed resource name contains invalid characters."),
    "InvalidUri": (400, "The requested URI does not represent any resource on the server."),
    "InvalidXmlDocument": (400, "XML specified is not syntactically valid."),
    "LeaseAlreadyPresent": (409, "There is already a lease present."),
    "LeaseIdMismatchWithContainerOperation": (
        412,
        "The lease ID specified did not match the lease ID for the file share.",
    ),
    "LeaseIdMismatchWithFileOperation": (412, "The lease ID specified did not match the lease ID for the file."),
    "LeaseIdMismatchWithLeaseOperation": (409, "The lease ID specified did not match the lease ID for the resource."),
    "LeaseIdMissing": (
        412,
        "There is currently a lease on the resource and no lease ID was specified in the request.",
    ),
    "LeaseIsBreakingAndCannotBeAcquired": (
        409,
        "The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.",
    ),
    "LeaseIsBreakingAndCannotBeChanged": (
        409,
        "The lease ID matched, but the lease is currently in breaking state and cannot be changed.",
    ),
    "LeaseIsBrokenAndCannotBeRenewed": (
        409,
        "The lease ID matched, but the lease has been broken explicitly and cannot be renewed.",
    ),
    "LeaseLost": (412, "A lease ID was specified, but the lease for the resource has expired."),
    "LeaseNotPresentWithContainerOperation": (412, "There is currently no lease on the file share."),
    "LeaseNotPresentWithFileOperation": (412, "There is currently no lease on the file."),
    "LeaseNotPresentWithLeaseOperation": (409, "There is currently no lease on the resource."),
    "MetadataTooLarge": (400, "The size of the specified metadata exceeds the maximum size permitted."),
    "Md5Mismatch": (
        400,
        "The MD5 value specified in the request did not match with the MD5 value calculated by the server.",
    ),
    "MissingContentLengthHeader": (411, "Content-Length HTTP header was not provided."),
    "MissingRequiredHeader": (400, "An HTTP header that's mandatory for this request is not specified."),
    "NoAuthenticationInformation": (
        401,
        "Server failed to authenticate the request. Please refer to the information in the www-authenticate header.",
    ),
    "NoPendingCopyOperation": (409, "There is currently no pending copy operation."),
    "NotImplemented": (501, "{}"),
    "OutOfRangeInput": (400, "The specified resource name length is not within the permissible limits."),
    "OutOfRangeQueryParameterValue": (
        400,
        "One of the query parameters specified in the request URI is outside the permissible range.",
    ),
    "ParentNotFound": (404, "The specified parent path does not exist."),
    "ReadOnlyAttribute": (409, "The specified resource is read-only and cannot be modified at this time."),
    "RequestBodyTooLarge": (413, "The request body is too large and exceeds the maximum permissible limit."),
    "ResourceAlreadyExists": (409, "The specified resource already exists."),
    "ResourceNotFound": (404, "The specified resource does not exist."),
    "ResourceTypeMismatch": (
        409,
        "The specified resource type does not match the type of the existing resource.",
    ),
    "ShareAlreadyExists": (409, "The specified share already exists."),
    "ShareHasSnapshots": (
        409,
        "The share has snapshots and the operation requires no snapshots. Use the x-ms-delete-snapshots header.",
    ),
    "ShareNotFound": (404, "The specified share does not exist."),
    "ShareSnapshotCountExceeded": (409, "The total number of snapshots for the share is over the limit."),
    "ShareSnapshotNotFound": (404, "The specified share snapshot does not exist."),
    "ShareSnapshotOperationNotSupported": (400, "The specified operation is not supported on a share snapshot."),
    "SharingViolation": (409, "The specified resource may be in use by an SMB client."),
}


class Refusal(Exception):
    """A request that is refused as a whole: nothing was changed.

    `facts` are further elements of the answer's document, such as the name of the header that is wrong.
    """

    def __init__(self, code: str, *, about: str = "", facts: Mapping[str, str] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.status, sentence = _KNOWN[code]
        self.message = sentence.replace("{}", about)
        self.facts = dict(facts or {})


def unsupported(what: str) -> Refusal:
    """Return the refusal of what Azure Files can do and the emulator cannot."""
    return Refusal("NotImplemented", about=f"The Azure Files emulator does not emulate {what}.")


def bad_header(name: str, value: str) -> Refusal:
    return Refusal("InvalidHeaderValue", facts={"HeaderName": name, "HeaderValue": value})


def missing_header(name: str) -> Refusal:
    return Refusal("MissingRequiredHeader", facts={"HeaderName": name})


def bad_parameter(name: str, value: str) -> Refusal:
    return Refusal("InvalidQueryParameterValue", facts={"QueryParameterName": name, "QueryParameterValue": value})
