#!/usr/bin/env bash
# Signs and notarizes the programs for macOS in a folder of archives, and packs these archives again. Runs on macOS, with a
# Developer ID in a keychain: docs/release.md. A ticket cannot be stapled to an executable: macOS asks Apple for it.
#   MACOS_IDENTITY=… NOTARY_KEY=FILE NOTARY_KEY_ID=… NOTARY_ISSUER=… scripts/release/sign-macos.sh dist
set -euo pipefail
entitlements=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/entitlements.plist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in "$1"/kubectl-webhook_darwin_*.tar.gz; do
  files=$work/$(basename "$archive" .tar.gz)
  mkdir "$files"
  tar -xzf "$archive" -C "$files"
  program=$files/kubectl-webhook
  codesign --force --options runtime --timestamp --entitlements "$entitlements" --sign "$MACOS_IDENTITY" "$program"
  codesign --verify --strict "$program"
  ditto -c -k "$program" "$files.zip"
  # It ends with 0 for a refused program, too.
  xcrun notarytool submit "$files.zip" --key "$NOTARY_KEY" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER" --wait |
    tee "$files.log"
  grep -q 'status: Accepted' "$files.log"
  # macOS adds files with attributes unless this is set.
  tar -tzf "$archive" >"$files.names"
  COPYFILE_DISABLE=1 tar -czf "$archive" -C "$files" -T "$files.names"
done
