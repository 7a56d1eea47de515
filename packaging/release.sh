#!/usr/bin/env bash
# Builds a release for this machine's platform: target/release-files/tamis-VERSION-TARGET.tar.gz with its SHA-256.
#
#   packaging/release.sh [--pgo | --binary FILE] [OUT]
#
# --pgo builds twice: first a binary that counts what runs while it crawls the made-up web of bench/, then one that
# the compiler arranges by these counts. It needs Python 3 and llvm-profdata of LLVM 19 or newer (LLVM_PROFDATA
# says where). --binary packs a binary that is there already instead of building one. The tree must be as committed,
# since the binary says from which commit it was built; two runs over one binary give the same bytes.
set -euo pipefail
binary='' out='' pgo=''
while [ $# -gt 0 ]; do
  case "$1" in
    --binary) binary=$(realpath "${2:?--binary needs a file}"); shift 2 ;;
    --pgo) pgo=1; shift ;;
    -*) echo "unknown option: $1" >&2; exit 2 ;;
    *) out=$(realpath -m "$1"); shift ;;
  esac
done
if [ -n "$pgo" ] && [ -n "$binary" ]; then
  echo "--pgo builds a binary and --binary gives one: leave out either" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
pgo=${pgo:+$(realpath -m "${CARGO_TARGET_DIR:-target}/pgo")}
out=${out:-$PWD/target/release-files}

if [ -n "$(git status --porcelain)" ]; then
  echo "the tree differs from its commit: commit or put away what git status shows" >&2
  exit 1
fi
commit=$(git rev-parse --short=12 HEAD)
target=$(rustc -vV | sed -n 's/^host: //p')

# Prints an llvm-profdata that reads what rustc writes, the newest first.
profdata() {
  local tool tools=(llvm-profdata-{29..19} llvm-profdata) version
  [ -z "${LLVM_PROFDATA:-}" ] || tools=("$LLVM_PROFDATA")
  for tool in "${tools[@]}"; do
    version=$("$tool" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') || continue
    if [ "${version:-0}" -ge 19 ]; then
      echo "$tool"
      return
    fi
  done
  echo "--pgo needs llvm-profdata of LLVM 19 or newer: install llvm-19, or say in LLVM_PROFDATA where it is" >&2
  return 1
}

# Builds the program for a profile or by one. With --target the flags are not for what runs during the build.
build_with() {
  CARGO_ENCODED_RUSTFLAGS="$1" cargo build --profile dist --locked -p tamis --target "$target" --target-dir "$pgo"
}

if [ -n "$pgo" ]; then
  begun=$(date +%s)
  tool=$(profdata)
  binary=$pgo/$target/dist/tamis
  rm -rf "$pgo/raw"
  build_with "-Cprofile-generate=$pgo/raw"
  cargo build --release --locked -p testweb --example serve_bulk
  python3 bench/compare.py --server "${CARGO_TARGET_DIR:-target}/release/examples/serve_bulk" \
    --tamis "training=$binary" --port 8790 --hosts 10 --pages 100 --rounds 1 >&2
  "$tool" merge -o "$pgo/tamis.profdata" "$pgo/raw"
  build_with "-Cprofile-use=$pgo/tamis.profdata"
  echo "built twice in $(( $(date +%s) - begun )) s on $(nproc) cores" >&2
elif [ -z "$binary" ]; then
  begun=$(date +%s)
  cargo build --profile dist --locked -p tamis
  binary=${CARGO_TARGET_DIR:-target}/dist/tamis
  echo "built in $(( $(date +%s) - begun )) s on $(nproc) cores" >&2
fi
version=$("$binary" --version)
case "$version" in
  *"($commit)"*) ;;
  *) echo "$binary says \"$version\", and the commit is $commit" >&2; exit 1 ;;
esac
number=$(echo "$version" | cut -d ' ' -f 2)
name=tamis-$number-$target

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/$name"/{man,completions} "$out"
install -m 755 "$binary" "$stage/$name/tamis"
cp README.md README.zh-CN.md CHANGELOG.md SECURITY.md LICENSE-APACHE LICENSE-MIT "$stage/$name/"
cp -r docs config seeds "$stage/$name/"
cp -r packaging/systemd packaging/grafana packaging/prometheus "$stage/$name/"
"$binary" completions --man "$stage/$name/man"
for shell in bash zsh fish; do
  "$binary" completions "$shell" > "$stage/$name/completions/tamis.$shell"
done
# What is packed works: a configuration is read, and a page.
"$binary" config check "$stage/$name/config/"*.toml > "$stage/checked" 2>&1 || { cat "$stage/checked" >&2; exit 1; }
echo '<title>t</title><p>one page' | "$binary" -q text - > "$stage/checked"

when=$(git log -1 --format=%ct)
tar --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w \
  -C "$stage" -cf - "$name" | gzip -9 -n > "$out/$name.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz: $(stat -c %s "$out/$name.tar.gz") bytes, the binary $(stat -c %s "$binary")" >&2
