# bash completion for stcc
_stcc() {
  local cur=${COMP_WORDS[COMP_CWORD]} path= word skip= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then return; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      --account-key|--account-key-file|--account-name|--auth-mode|--blob-endpoint|--blob-port|--body|--connection-string|--content-type|--data|--duration|--encoding|--filter|--from|--if-match|--if-modified-since|--if-none-match|--if-tags|--if-unmodified-since|--include|--lease-id|--limit|--marker|--max|--metadata|--mode|--output|--period|--pop-receipt|--prefix|--profile|--proposed-id|--query|--queue-endpoint|--queue-port|--range|--sas-token|--select|--snapshot|--snapshots|--table-endpoint|--table-port|--tag|--timeout|--ttl|--visibility|--wait|-o) skip=1 ;;
      -*) ;;
      *) case "${path:+$path }$word" in "blob"|"blob put"|"blob get"|"blob show"|"blob list"|"blob delete"|"container"|"container create"|"container show"|"container list"|"container delete"|"lease"|"lease acquire"|"lease renew"|"lease change"|"lease release"|"lease break"|"lease show"|"table"|"table create"|"table list"|"table delete"|"entity"|"entity get"|"entity query"|"entity insert"|"entity replace"|"entity merge"|"entity upsert"|"entity delete"|"queue"|"queue create"|"queue list"|"queue show"|"queue delete"|"queue clear"|"queue send"|"queue dequeue"|"queue peek"|"queue update"|"queue delete-message"|"emulator"|"emulator start"|"emulator stop"|"emulator status"|"emulator run"|"demo"|"completion") path="${path:+$path }$word" ;; esac ;;
    esac
  done
  if [[ -n $skip ]]; then
    case ${COMP_WORDS[COMP_CWORD-1]} in
      -o) COMPREPLY=($(compgen -W "human json ndjson tsv none" -- "$cur")) ;;
      --output) COMPREPLY=($(compgen -W "human json ndjson tsv none" -- "$cur")) ;;
      --auth-mode) COMPREPLY=($(compgen -W "key login" -- "$cur")) ;;
      --include) COMPREPLY=($(compgen -W "snapshots metadata tags deleted uncommittedblobs" -- "$cur")) ;;
      --snapshots) COMPREPLY=($(compgen -W "include only" -- "$cur")) ;;
      --mode) COMPREPLY=($(compgen -W "replace merge" -- "$cur")) ;;
    esac
    return
  fi
  local below= options=
  case $path in
    "") below="blob container lease table entity queue emulator demo completion" options="" ;;
    "blob") below="put get show list delete" options="--help" ;;
    "blob put") below="" options="--content-type --metadata --tag --no-marker --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "blob get") below="" options="--range --snapshot --force --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob show") below="" options="--snapshot --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --help" ;;
    "blob list") below="" options="--include --limit --help" ;;
    "blob delete") below="" options="--snapshot --snapshots --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --lease-id --force --help" ;;
    "container") below="create show list delete" options="--help" ;;
    "container create") below="" options="--metadata --no-marker --help" ;;
    "container show") below="" options="--lease-id --help" ;;
    "container list") below="" options="--prefix --limit --help" ;;
    "container delete") below="" options="--yes -y --if-modified-since --if-unmodified-since --lease-id --help" ;;
    "lease") below="acquire renew change release break show" options="--help" ;;
    "lease acquire") below="" options="--duration --proposed-id --wait --no-wait --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease renew") below="" options="--lease-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease change") below="" options="--lease-id --proposed-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease release") below="" options="--lease-id --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease break") below="" options="--period --wait --yes -y --if-match --if-none-match --if-modified-since --if-unmodified-since --if-tags --help" ;;
    "lease show") below="" options="--help" ;;
    "table") below="create list delete" options="--help" ;;
    "table create") below="" options="--help" ;;
    "table list") below="" options="--prefix --limit --help" ;;
    "table delete") below="" options="--yes -y --help" ;;
    "entity") below="get query insert replace merge upsert delete" options="--help" ;;
    "entity get") below="" options="--help" ;;
    "entity query") below="" options="--filter --select --limit --help" ;;
    "entity insert") below="" options="--from --marker --help" ;;
    "entity replace") below="" options="--from --marker --if-match --force --help" ;;
    "entity merge") below="" options="--from --marker --if-match --force --help" ;;
    "entity upsert") below="" options="--mode --from --marker --help" ;;
    "entity delete") below="" options="--if-match --force --help" ;;
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
    "emulator") below="start stop status run" options="--help" ;;
    "emulator start") below="" options="--blob-port --queue-port --table-port --data --help" ;;
    "emulator stop") below="" options="--help" ;;
    "emulator status") below="" options="--help" ;;
    "emulator run") below="" options="--blob-port --queue-port --table-port --data --help" ;;
    "demo") below="" options="--help" ;;
    "completion") below="" options="--help" ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options --version -o --output --query -q --quiet -v --verbose --no-diagnose --timeout --emulator --profile --connection-string --account-name --account-key --account-key-file --sas-token --auth-mode --blob-endpoint --queue-endpoint --table-endpoint --help" -- "$cur"))
  elif [[ -n $below ]]; then
    COMPREPLY=($(compgen -W "$below" -- "$cur"))
  fi
}
complete -o default -F _stcc stcc
