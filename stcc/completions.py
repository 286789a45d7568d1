"""Completion scripts: static text, so that no Python starts when TAB is pressed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from stcc.tree import ROOT, Node, Option

_BASH: Final = """\
# bash completion for stcc
_stcc() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} path= word skip= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${{COMP_WORDS[i]}}
    if [[ $word == -- ]]; then return; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      {valued}) skip=1 ;;
      -*) ;;
      *) case "${{path:+$path }}$word" in {paths}) path="${{path:+$path }}$word" ;; esac ;;
    esac
  done
  if [[ -n $skip ]]; then
    case ${{COMP_WORDS[COMP_CWORD-1]}} in
{values}
    esac
    return
  fi
  local below= options=
  case $path in
{cases}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options {shared}" -- "$cur"))
  elif [[ -n $below ]]; then
    COMPREPLY=($(compgen -W "$below" -- "$cur"))
  fi
}}
complete -o default -F _stcc stcc
"""
_ZSH: Final = """\
#compdef stcc
# zsh completion for stcc
_stcc() {{
  local path_= word skip= i
  for ((i = 2; i < CURRENT; i++)); do
    word=${{words[i]}}
    if [[ $word == -- ]]; then _default; return; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      ({valued}) skip=1 ;;
      (-*) ;;
      (*) case "${{path_:+$path_ }}$word" in ({paths}) path_="${{path_:+$path_ }}$word" ;; esac ;;
    esac
  done
  if [[ -n $skip ]]; then
    case ${{words[CURRENT-1]}} in
{values}
      (*) _files ;;
    esac
    return
  fi
  local below= options=
  case $path_ in
{cases}
  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    compadd -- ${{=options}} {shared}
  elif [[ -n $below ]]; then
    compadd -- ${{=below}}
  else
    _files
  fi
}}
_stcc "$@"
"""
_FISH: Final = """\
# fish completion for stcc
{lines}
"""


def bash(tree: Sequence[Node]) -> str:
    """Return the script for bash."""
    return _BASH.format(
        valued="|".join(_valued(tree)),
        paths="|".join(f'"{" ".join(node.path)}"' for node in tree if node.path),
        values="\n".join(
            f'      {name}) COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$cur")) ;;'
            for name, choices in _chosen(tree).items()
        ),
        cases="\n".join(f'    "{" ".join(node.path)}") {_assigned(node, tree)} ;;' for node in tree),
        shared=_shared(tree),
    )


def zsh(tree: Sequence[Node]) -> str:
    """Return the script for zsh."""
    return _ZSH.format(
        valued="|".join(_valued(tree)),
        paths="|".join(f'"{" ".join(node.path)}"' for node in tree if node.path),
        values="\n".join(
            f"      ({name}) compadd -- {' '.join(choices)} ;;" for name, choices in _chosen(tree).items()
        ),
        cases="\n".join(f'    ("{" ".join(node.path)}") {_assigned(node, tree)} ;;' for node in tree),
        shared=_shared(tree),
    )


def fish(tree: Sequence[Node]) -> str:
    """Return the script for fish."""
    return _FISH.format(lines="\n".join(_fish_lines(tree)))


SCRIPTS: Final[dict[str, Callable[[Sequence[Node]], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _valued(tree: Sequence[Node]) -> list[str]:
    """Return the names of the options that take a value, wherever they occur."""
    return sorted({name for node in tree for option in node.options if option.metavar for name in option.names})


def _chosen(tree: Sequence[Node]) -> Mapping[str, tuple[str, ...]]:
    """Return the options whose values are known."""
    return {name: o.choices for node in tree for o in node.options if o.choices for name in o.names}


def _assigned(node: Node, tree: Sequence[Node]) -> str:
    """Return the shell's assignments of what may follow a node: the words below it, and its own options."""
    below = " ".join(one.path[-1] for one in tree if one.path and one.path[:-1] == node.path)
    options = "" if node.path == ROOT else " ".join(name for option in node.options for name in option.names)
    return f'below="{below}" options="{options}"'


def _shared(tree: Sequence[Node]) -> str:
    """Return the options that go everywhere: those of the root."""
    return " ".join(name for option in tree[0].options for name in option.names)


def _fish_lines(tree: Sequence[Node]) -> Iterator[str]:
    for option in tree[0].options:
        yield f"complete -c stcc {_fish_option(option)}"
    for node in tree:
        match node.path:
            case (noun,):
                yield f"complete -c stcc -n __fish_use_subcommand -f -a {noun} -d {_fish_text(node.help)}"
            case (noun, verb):
                yield from _fish_verb(node, noun, verb, among=_verbs(noun, tree))
            case _:
                pass


def _verbs(noun: str, tree: Sequence[Node]) -> str:
    return " ".join(node.path[1] for node in tree if len(node.path) == 2 and node.path[0] == noun)


def _fish_verb(node: Node, noun: str, verb: str, *, among: str) -> Iterator[str]:
    seen = f"__fish_seen_subcommand_from {noun}"
    untold = f"'{seen}; and not __fish_seen_subcommand_from {among}'"
    yield f"complete -c stcc -n {untold} -f -a {verb} -d {_fish_text(node.help)}"
    for option in node.options:
        yield f"complete -c stcc -n '{seen}; and __fish_seen_subcommand_from {verb}' {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = "" if option.metavar is None else " -r"
    choices = f" -f -a {_fish_text(' '.join(option.choices))}" if option.choices else ""
    return f"{names}{value}{choices} -d {_fish_text(option.help)}"


def _fish_text(text: str) -> str:
    first = text.partition("\n")[0]
    return "'" + first.replace("\\", "\\\\").replace("'", "\\'") + "'"
