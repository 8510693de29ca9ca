#!/bin/bash
# Checks a webhook by hand: SIGNING_SECRET=whsec_... bash verify.sh "$x_service_signature" body.json
set -euo pipefail
: "${SIGNING_SECRET:?is not set}"
[[ $1 =~ ^t=([0-9]{1,12}), ]] || { echo "refused: no time in the signature"; exit 1; }
t=${BASH_REMATCH[1]}
v1=$( (printf '%s.' "$t"; cat -- "$2") | openssl dgst -sha256 -hmac "$SIGNING_SECRET" -r | cut -d' ' -f1)
[[ ",$1," == *",v1=$v1,"* ]] || { echo "refused: another secret or another body"; exit 1; }
age=$(($(date +%s) - 10#$t))
((age >= -300 && age <= 300)) || { echo "genuine, but signed $age seconds ago: a receiver refuses it"; exit 1; }
echo "verified"
