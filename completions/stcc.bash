# bash completion for stcc
_stcc() {
  local cur=${COMP_WORDS[COMP_CWORD]} path= word skip= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then return; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      --access|--account-key|--account-key-file|--account-name|--append-position|--attempts|--auth-mode|--blob-endpoint|--blob-port|--body|--busy-exit-code|--cache-control|--clear|--client|--connection-string|--container|--content-disposition|--content-encoding|--content-language|--content-md5|--content-type|--data|--duration|--encoding|--etag-compare|--etag-save|--fence|--file-endpoint|--file-port|--filter|--from|--handle-id|--id|--identity|--if-match|--if-modified-since|--if-none-match|--if-sequence-number-eq|--if-sequence-number-le|--if-sequence-number-lt|--if-tags|--if-unchanged|--if-unmodified-since|--include|--kill-grace|--lease-id|--length|--limit|--lock|--lock-blob|--marker|--max|--max-hold|--max-size|--metadata|--mode|--note|--offset|--output|--period|--policy|--poll-max|--pop-receipt|--prefix|--profile|--proposed-id|--public-access|--query|--queue-endpoint|--queue-port|--quota|--range|--redis|--rehydrate-priority|--remove|--sas-token|--select|--sequence-number|--share|--shell|--since|--snapshot|--snapshots|--source-if-match|--source-if-modified-since|--source-if-none-match|--source-if-tags|--source-if-unmodified-since|--source-lease-id|--source-snapshot|--status-file|--table-endpoint|--table-port|--tag|--target-lease-id|--tier|--timeout|--ttl|--visibility|--wait|-E|-c|-o) skip=1 ;;
      -*) ;;
      *) case "${path:+$path }$word" in "blob"|"blob put"|"blob get"|"blob show"|"blob list"|"blob delete"|"blob set-metadata"|"blob set-headers"|"blob set-tags"|"blob get-tags"|"blob set-tier"|"blob snapshot"|"blob copy"|"blob copy-abort"|"blob append"|"blob update"|"blob edit"|"blob block"|"blob block stage"|"blob block list"|"blob block commit"|"blob page"|"blob page create"|"blob page put"|"blob page clear"|"blob page ranges"|"container"|"container create"|"container show"|"container list"|"container delete"|"container set-metadata"|"container get-acl"|"container set-acl"|"lease"|"lease acquire"|"lease renew"|"lease change"|"lease release"|"lease break"|"lease show"|"lease run"|"table"|"table create"|"table list"|"table delete"|"table run"|"entity"|"entity get"|"entity query"|"entity insert"|"entity replace"|"entity merge"|"entity upsert"|"entity delete"|"entity update"|"entity edit"|"queue"|"queue create"|"queue list"|"queue show"|"queue delete"|"queue clear"|"queue send"|"queue dequeue"|"queue peek"|"queue update"|"queue delete-message"|"share"|"share create"|"share show"|"share list"|"share delete"|"share snapshot"|"share set-metadata"|"file"|"file mkdir"|"file get"|"file put"|"file show"|"file list"|"file delete"|"file set-metadata"|"file rename"|"file handles"|"file close-handles"|"lock"|"lock acquire"|"lock renew"|"lock release"|"lock show"|"lock list"|"lock break"|"lock run"|"leader"|"leader run"|"leader show"|"leader watch"|"leader resign"|"semaphore"|"semaphore create"|"semaphore resize"|"semaphore acquire"|"semaphore renew"|"semaphore release"|"semaphore show"|"semaphore run"|"emulator"|"emulator start"|"emulator stop"|"emulator status"|"emulator run"|"emulator smb"|"emulator smb open"|"emulator smb close"|"emulator smb list"|"emulator smb mark-delete"|"demo"|"completion") path="${path:+$path }$word" ;; esac ;;
    esac
  done
  if [[ -n $skip ]]; then
    case ${COMP_WORDS[COMP_CWORD-1]} in
      -o) COMPREPLY=($(compgen -W "human json ndjson tsv none" -- "$cur")) ;;
      --output) COMPREPLY=($(compgen -W "human json ndjson tsv none" -- "$cur")) ;;
      --auth-mode) COMPREPLY=($(compgen -W "key login" -- "$cur")) ;;
      --include) COMPREPLY=($(compgen -W "snapshots" -- "$cur")) ;;
      --snapshots) COMPREPLY=($(compgen -W "include include-leased" -- "$cur")) ;;
      --clear) COMPREPLY=($(compgen -W "content-encoding content-language content-disposition cache-control content-md5" -- "$cur")) ;;
      --rehydrate-priority) COMPREPLY=($(compgen -W "standard high" -- "$cur")) ;;
      --tier) COMPREPLY=($(compgen -W "hot cool cold archive" -- "$cur")) ;;
      --public-access) COMPREPLY=($(compgen -W "none container blob" -- "$cur")) ;;
      --mode) COMPREPLY=($(compgen -W "replace merge" -- "$cur")) ;;
      --share) COMPREPLY=($(compgen -W "none rwd" -- "$cur")) ;;
    esac
    return
  fi
  local below= options=
  case $path in
    "") below="blob container lease table entity queue share file lock leader semaphore emulator demo completion" options="" ;;
    "blob") below="put get show list delete set-metadata set-headers set-tags get-tags set-tier snapshot copy copy-abort append update edit block page" options="--help" ;;
    "blob put") below="" options="--content-type --metadata --tag --no-marker -r --recursive --etag-compare --etag-save --fence --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "blob get") below="" options="--range --snapshot --force -r --recursive --etag-compare --etag-save --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob show") below="" options="--snapshot --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob list") below="" options="--include --limit --help" ;;
    "blob delete") below="" options="--snapshot --snapshots --fence --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "blob set-metadata") below="" options="--clear --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob set-headers") below="" options="--content-type --content-encoding --content-language --content-disposition --cache-control --content-md5 --clear --replace --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob set-tags") below="" options="--clear --if-tags --lease-id --help" ;;
    "blob get-tags") below="" options="--snapshot --if-tags --lease-id --help" ;;
    "blob set-tier") below="" options="--rehydrate-priority --if-tags --lease-id --help" ;;
    "blob snapshot") below="" options="--metadata --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob copy") below="" options="--source-snapshot --sync --wait --no-wait --tier --metadata --tag --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --source-if-match --source-if-none-match --source-if-modified-since --source-if-unmodified-since --source-if-tags --force --help" ;;
    "blob copy-abort") below="" options="--lease-id --help" ;;
    "blob append") below="" options="--create --content-type --metadata --tag --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --append-position --max-size --help" ;;
    "blob update") below="" options="--metadata --create --attempts --allow-empty --no-local-lock --no-marker --fence --lease-id --help" ;;
    "blob edit") below="" options="--metadata --no-marker --lease-id --help" ;;
    "blob block") below="stage list commit" options="--help" ;;
    "blob block stage") below="" options="--id --lease-id --help" ;;
    "blob block list") below="" options="--committed --uncommitted --snapshot --if-tags --lease-id --help" ;;
    "blob block commit") below="" options="--from --empty --content-type --metadata --tag --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "blob page") below="create put clear ranges" options="--help" ;;
    "blob page create") below="" options="--sequence-number --content-type --metadata --tag --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "blob page put") below="" options="--offset --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --if-sequence-number-le --if-sequence-number-lt --if-sequence-number-eq --help" ;;
    "blob page clear") below="" options="--offset --length --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --if-sequence-number-le --if-sequence-number-lt --if-sequence-number-eq --help" ;;
    "blob page ranges") below="" options="--offset --length --since --snapshot --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "container") below="create show list delete set-metadata get-acl set-acl" options="--help" ;;
    "container create") below="" options="--metadata --no-marker --help" ;;
    "container show") below="" options="--lease-id --help" ;;
    "container list") below="" options="--prefix --limit --help" ;;
    "container delete") below="" options="--yes -y --if-modified-since --if-unmodified-since --lease-id --help" ;;
    "container set-metadata") below="" options="--clear --no-marker --if-modified-since --lease-id --help" ;;
    "container get-acl") below="" options="--lease-id --help" ;;
    "container set-acl") below="" options="--policy --remove --public-access --from --replace --attempts --if-modified-since --if-unmodified-since --lease-id --help" ;;
    "lease") below="acquire renew change release break show run" options="--help" ;;
    "lease acquire") below="" options="--duration --proposed-id --wait --no-wait --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease renew") below="" options="--lease-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease change") below="" options="--lease-id --proposed-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease release") below="" options="--lease-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease break") below="" options="--period --wait --yes -y --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease show") below="" options="--help" ;;
    "lease run") below="" options="--duration --create --wait --no-wait -c --shell -E --busy-exit-code --status-file --kill-grace --max-hold --help" ;;
    "table") below="create list delete run" options="--help" ;;
    "table create") below="" options="--help" ;;
    "table list") below="" options="--prefix --limit --help" ;;
    "table delete") below="" options="--yes -y --help" ;;
    "table run") below="" options="--duration --lock-blob --wait --no-wait -c --shell -E --busy-exit-code --status-file --kill-grace --max-hold --help" ;;
    "entity") below="get query insert replace merge upsert delete update edit" options="--help" ;;
    "entity get") below="" options="--help" ;;
    "entity query") below="" options="--filter --select --limit --help" ;;
    "entity insert") below="" options="--from --marker --help" ;;
    "entity replace") below="" options="--from --marker --if-match --force --help" ;;
    "entity merge") below="" options="--from --marker --if-match --force --help" ;;
    "entity upsert") below="" options="--mode --from --marker --help" ;;
    "entity delete") below="" options="--if-match --force --help" ;;
    "entity update") below="" options="--attempts --no-local-lock --marker --help" ;;
    "entity edit") below="" options="--marker --help" ;;
    "queue") below="create list show delete clear send dequeue peek update delete-message" options="--help" ;;
    "queue create") below="" options="--metadata --help" ;;
    "queue list") below="" options="--prefix --limit --help" ;;
    "queue show") below="" options="--help" ;;
    "queue delete") below="" options="--yes -y --help" ;;
    "queue clear") below="" options="--yes -y --help" ;;
    "queue send") below="" options="--visibility --ttl --encoding --help" ;;
    "queue dequeue") below="" options="--max --visibility --encoding --body-only --wait --no-wait --help" ;;
    "queue peek") below="" options="--max --encoding --body-only --wait --no-wait --help" ;;
    "queue update") below="" options="--pop-receipt --visibility --body --encoding --help" ;;
    "queue delete-message") below="" options="--pop-receipt --help" ;;
    "share") below="create show list delete snapshot set-metadata" options="--help" ;;
    "share create") below="" options="--quota --metadata --no-marker --help" ;;
    "share show") below="" options="--snapshot --lease-id --help" ;;
    "share list") below="" options="--prefix --include --limit --help" ;;
    "share delete") below="" options="--snapshot --snapshots --yes -y --lease-id --help" ;;
    "share snapshot") below="" options="--metadata --help" ;;
    "share set-metadata") below="" options="--clear --no-marker --lease-id --help" ;;
    "file") below="mkdir get put show list delete set-metadata rename handles close-handles" options="--help" ;;
    "file mkdir") below="" options="-p --parents --metadata --no-marker --wait --close-handles -y --yes --help" ;;
    "file get") below="" options="--range --snapshot --force --lease-id --wait --close-handles -y --yes --help" ;;
    "file put") below="" options="--content-type --metadata --in-place --exclusive --if-unchanged --lease-id --wait --close-handles -y --yes --help" ;;
    "file show") below="" options="--snapshot --lease-id --wait --close-handles -y --yes --help" ;;
    "file list") below="" options="-r --recursive --snapshot --limit --wait --close-handles -y --yes --help" ;;
    "file delete") below="" options="--lease-id --wait --close-handles -y --yes --help" ;;
    "file set-metadata") below="" options="--clear --no-marker --lease-id --wait --close-handles -y --yes --help" ;;
    "file rename") below="" options="--replace --source-lease-id --target-lease-id --wait --close-handles -y --yes --help" ;;
    "file handles") below="" options="-r --recursive --snapshot --limit --help" ;;
    "file close-handles") below="" options="--handle-id -r --recursive --snapshot --yes -y --help" ;;
    "lock") below="acquire renew release show list break run" options="--help" ;;
    "lock acquire") below="" options="--identity --ttl --note --wait --no-wait --reentrant --container --poll-max --fair --help" ;;
    "lock renew") below="" options="--identity --container --help" ;;
    "lock release") below="" options="--identity --container --help" ;;
    "lock show") below="" options="--container --help" ;;
    "lock list") below="" options="--container --limit --help" ;;
    "lock break") below="" options="--container --yes -y --help" ;;
    "lock run") below="" options="--identity --ttl --note --wait --no-wait --container --poll-max --fair -c --shell -E --busy-exit-code --status-file --kill-grace --max-hold --help" ;;
    "leader") below="run show watch resign" options="--help" ;;
    "leader run") below="" options="--identity --ttl --note --wait --container --poll-max -c --shell -E --busy-exit-code --status-file --kill-grace --max-hold --help" ;;
    "leader show") below="" options="--container --help" ;;
    "leader watch") below="" options="--container --poll-max --limit --help" ;;
    "leader resign") below="" options="--identity --container --wait --help" ;;
    "semaphore") below="create resize acquire renew release show run" options="--help" ;;
    "semaphore create") below="" options="--max --container --help" ;;
    "semaphore resize") below="" options="--max --container --help" ;;
    "semaphore acquire") below="" options="--identity --ttl --note --wait --no-wait --container --poll-max --help" ;;
    "semaphore renew") below="" options="--identity --container --help" ;;
    "semaphore release") below="" options="--identity --container --help" ;;
    "semaphore show") below="" options="--container --help" ;;
    "semaphore run") below="" options="--identity --ttl --note --wait --no-wait --container --poll-max -c --shell -E --busy-exit-code --status-file --kill-grace --max-hold --help" ;;
    "emulator") below="start stop status run smb" options="--help" ;;
    "emulator start") below="" options="--blob-port --queue-port --table-port --file-port --data --help" ;;
    "emulator stop") below="" options="--help" ;;
    "emulator status") below="" options="--help" ;;
    "emulator run") below="" options="--blob-port --queue-port --table-port --file-port --data --help" ;;
    "emulator smb") below="open close list mark-delete" options="--help" ;;
    "emulator smb open") below="" options="--access --share --lock --client --file-port --help" ;;
    "emulator smb close") below="" options="--file-port --help" ;;
    "emulator smb list") below="" options="--file-port --help" ;;
    "emulator smb mark-delete") below="" options="--undo --file-port --help" ;;
    "demo") below="" options="--redis --help" ;;
    "completion") below="" options="--help" ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options --version -o --output --query -q --quiet -v --verbose --no-diagnose --timeout --emulator --profile --connection-string --account-name --account-key --account-key-file --sas-token --auth-mode --blob-endpoint --queue-endpoint --table-endpoint --file-endpoint --help" -- "$cur"))
  elif [[ -n $below ]]; then
    COMPREPLY=($(compgen -W "$below" -- "$cur"))
  fi
}
complete -o default -F _stcc stcc
