"""What the codes of a refusal mean, and what to do: one line each.

Sources: the error-code pages of the four services and the lease outcome
tables; where the wire and the pages differ, the wire (semantics.md).
"""

from typing import Final

# SMB clients are in the way: each is a 409, and who has it open can be asked. Two pages spell the second differently.
BY_SMB: Final = frozenset(
    {"SharingViolation", "DeletePending", "SMBDeletePending", "FileLockConflict", "CannotDeleteFileOrDirectory"}
)
_SMB_WAYS: Final = "wait until it is closed (--wait 60s), or take it from them: --close-handles"
_PENDING: Final = (
    "an SMB client has marked it for deletion, and somebody still has it open: it is neither there nor gone",
    "it goes with the last handle: --wait 60s, or --close-handles",
)
# What an unmet condition is called, whichever it was.
UNMET: Final = frozenset({"ConditionNotMet", "TargetConditionNotMet", "UpdateConditionNotSatisfied"})
MEANINGS: Final[dict[str, tuple[str, str]]] = {
    "ConditionNotMet": ("it changed since you looked", "read it again, decide again, and use the current ETag"),
    "TargetConditionNotMet": ("it changed since you looked", "read it again, decide again, and use the current ETag"),
    "UpdateConditionNotSatisfied": ("it changed since you looked", "read it again and use the current ETag"),
    "BlobAlreadyExists": (
        "there is a blob of that name",
        "--if-match ETAG to replace what you saw; --force to overwrite",
    ),
    "BlobNotFound": ("there is no such blob", ""),
    "ContainerAlreadyExists": ("there is a container of that name", ""),
    "ContainerNotFound": ("there is no such container", "stcc container create NAME"),
    "ContainerBeingDeleted": ("a container of that name is still being deleted", "try again after 30 seconds or more"),
    "EntityAlreadyExists": (
        "there is an entity with these keys",
        "entity replace or merge with --if-match; entity upsert",
    ),
    "ResourceNotFound": ("there is no such resource", ""),
    "EntityNotFound": ("there is no entity with these keys", ""),
    "TableNotFound": ("there is no such table", "stcc table create NAME"),
    "TableAlreadyExists": ("there is a table of that name", ""),
    "TableBeingDeleted": ("a table of that name is still being deleted", "try again after 40 seconds or more"),
    "QueueNotFound": ("there is no such queue", "stcc queue create NAME"),
    "QueueAlreadyExists": ("there is a queue of that name with other metadata", ""),
    "QueueBeingDeleted": ("a queue of that name is still being deleted", "try again after 30 seconds or more"),
    "MessageNotFound": ("the receipt is stale", "the message was taken or updated by somebody since, or is gone"),
    "PopReceiptMismatch": ("the receipt is stale", "the message was taken or updated by somebody since, or is gone"),
    "LeaseAlreadyPresent": (
        "somebody else holds the lease",
        "wait for it (--wait 60s), or, only if the holder is known to be dead: stcc lease break",
    ),
    "LeaseIdMissing": ("it is leased and no lease id was given", "pass --lease-id if the lease is yours; else wait"),
    "LeaseIdMismatchWithBlobOperation": (
        "it is leased under another id",
        "the lease is not yours any more: stop, read it again, acquire again",
    ),
    "LeaseIdMismatchWithContainerOperation": (
        "it is leased under another id",
        "the lease is not yours any more: stop, read it again, acquire again",
    ),
    "LeaseIdMismatchWithLeaseOperation": (
        "the lease has another id, or there is none",
        "it was released, or somebody else has acquired it since",
    ),
    "LeaseNotPresentWithBlobOperation": ("a lease id was given and there is no lease", "acquire one first"),
    "LeaseNotPresentWithContainerOperation": ("a lease id was given and there is no lease", "acquire one first"),
    "LeaseNotPresentWithLeaseOperation": ("there is no lease", "it was never acquired, was released, or ended"),
    "LeaseLost": ("your lease has ended", "it expired or was broken: read it again, acquire again"),
    "LeaseIsBreakingAndCannotBeAcquired": ("the lease is being broken", "acquire it when the break period is over"),
    "LeaseIsBreakingAndCannotBeChanged": ("the lease is being broken", "release it, or wait for the end of the period"),
    "LeaseIsBrokenAndCannotBeRenewed": ("the lease was broken", "acquire it again"),
    "SnapshotsPresent": (
        "the blob has snapshots",
        "--snapshots include deletes them too; --snapshots only keeps the blob",
    ),
    "AuthenticationFailed": (
        "the credential is not accepted",
        "check the account's name, its key, the expiry of the SAS, and this machine's clock",
    ),
    "AuthorizationFailure": ("not allowed", "a wrong key, or a rule of the account (network, SAS permissions)"),
    "AuthorizationPermissionMismatch": ("not allowed", "the SAS or the role lacks the permission for this"),
    "AuthorizationServiceMismatch": ("not allowed", "the SAS is for another service"),
    "AuthorizationResourceTypeMismatch": ("not allowed", "the SAS is for another kind of resource"),
    "AuthorizationProtocolMismatch": ("not allowed", "the SAS demands another protocol"),
    "AuthorizationSourceIPMismatch": ("not allowed", "the SAS is for another network address"),
    "KeyBasedAuthenticationNotPermitted": ("the account refuses keys", "use --auth-mode login"),
    "NoAuthenticationInformation": ("a credential is needed", ""),
    "PublicAccessNotPermitted": ("a credential is needed", "the account refuses anonymous reads"),
    "InvalidRange": ("the range lies outside of the content", ""),
    "RequestBodyTooLarge": ("the body is too large", "a message holds 64 KiB, of base64 48 KiB"),
    "AccountIsDisabled": ("the account is disabled", ""),
    "BlobImmutableDueToPolicy": ("an immutability policy or legal hold protects it", ""),
    "BlobArchived": ("the blob is archived", "bring it back to an online tier first"),
    "InvalidBlobType": ("it is a blob of another type", ""),
    "SourceConditionNotMet": ("the source does not meet its condition", "look at the source and decide again"),
    "CannotVerifyCopySource": (
        "the source cannot be read, or does not meet its condition",
        "another account's source needs a SAS in its URL; look at the source and decide again",
    ),
    "PendingCopyOperation": (
        "another copy to this blob is under way",
        "wait for it (blob show), or end it: blob copy-abort",
    ),
    "NoPendingCopyOperation": ("no copy is under way", "it was finished, was aborted, or was never begun"),
    "CopyIdMismatch": ("another copy is under way", "blob show tells its id"),
    "AppendPositionConditionNotMet": ("the blob has another length", "somebody appended meanwhile: read it again"),
    "MaxBlobSizeConditionNotMet": ("the blob would become too long", "begin a new blob"),
    "BlockCountExceedsLimit": ("the blob has as many blocks as it can", "begin a new blob"),
    "SequenceNumberConditionNotMet": ("the sequence number does not meet its condition", "read it again: blob show"),
    "InvalidBlockList": (
        "a block of the list is not there",
        "it was never staged, or somebody wrote the blob since, which drops all such blocks: blob block list",
    ),
    "InvalidBlobOrBlock": ("its id is longer or shorter than those of the other blocks", "all must be equally long"),
    "InvalidPageRange": ("the range lies outside of the blob", "pages are 512 bytes; blob show tells the size"),
    "PreviousSnapshotNotFound": ("there is no such earlier snapshot", "blob list --include snapshots"),
    "PreviousSnapshotCannotBeNewer": ("the snapshot is newer than the blob it is compared with", ""),
    "InvalidBlobTier": ("a blob of this type, or account, has no such tier", ""),
    "BlobBeingRehydrated": ("it is being brought back from the archive already", "wait for it: blob show"),
    "SharingViolation": ("an SMB client has it open, and does not share what this needs", _SMB_WAYS),
    "FileLockConflict": ("an SMB client has locked a part of it", _SMB_WAYS),
    "DeletePending": _PENDING,
    "SMBDeletePending": _PENDING,
    "CannotDeleteFileOrDirectory": ("an SMB client has it open", _SMB_WAYS),
    "ClientCacheFlushDelay": ("an SMB client did not write back in time what it keeps", "try again in a moment"),
    "DirectoryNotEmpty": (
        "the directory is not empty",
        "what SMB clients have marked for deletion counts, too: stcc file list shows it",
    ),
    "ParentNotFound": ("the directory above it does not exist", "stcc file mkdir -p SHARE/DIR"),
    "ReadOnlyAttribute": ("it has the read-only attribute", "take that away first, if it is meant to be changed"),
    "InvalidFileOrDirectoryPathName": ("the service takes no such path", ""),
    "ResourceAlreadyExists": ("there is something of that name", ""),
    "ResourceTypeMismatch": ("it is a directory where a file is asked for, or a file for a directory", ""),
    "ShareAlreadyExists": ("there is a share of that name", ""),
    "ShareNotFound": ("there is no such share", "stcc share create NAME"),
    "ShareBeingDeleted": ("a share of that name is still being deleted", "try again after 30 seconds or more"),
    "ShareDisabled": ("the share was disabled by an administrator", ""),
    "ShareHasSnapshots": ("the share has snapshots", "--snapshots include deletes them, too"),
    "ShareSnapshotInProgress": ("another snapshot of the share is being taken", "try again in a moment"),
    "ShareSnapshotCountExceeded": ("the share has as many snapshots as it can, 200", "delete old ones first"),
    "ShareSnapshotNotFound": ("there is no such snapshot", "stcc share list --include snapshots"),
    "ShareSnapshotOperationNotSupported": ("a snapshot cannot be written", ""),
    "DeleteShareWhenSnapshotLeased": (
        "a snapshot of the share is leased",
        "release or break that lease; --snapshots include-leased deletes it all the same",
    ),
    "LeaseIdMismatchWithFileOperation": (
        "it is leased under another id",
        "the lease is not yours any more: stop, read it again, acquire again",
    ),
    "LeaseNotPresentWithFileOperation": ("a lease id was given and there is no lease", "acquire one first"),
    "FileInvalidPermission": ("the permission is not one", ""),
}
