#!/bin/sh
# Promotes a module from one ring to another and commits the lock file to the main branch. A CI runs it in a clone, with
#   PROMOTE_ALIAS, PROMOTE_FROM, PROMOTE_TO   the module and the rings
#   PROMOTE_SOAK, PROMOTE_FORCE               optional: --soak=<duration>, and --force if it is not empty
#   PROMOTE_BRANCH                            optional: another branch than main
# and the environment of an operator: DATABASE_URL, APP_KEY and the registry of packages.
set -eu

for name in PROMOTE_ALIAS PROMOTE_FROM PROMOTE_TO; do
  eval "value=\${$name:-}"
  case $value in
    '' | -* | *[!a-z0-9-]*)
      echo "promote.sh: $name must be a name of lower-case letters, digits and hyphens, not '$value'" >&2
      exit 2
      ;;
  esac
done
branch=${PROMOTE_BRANCH:-main}

cd "$(git rev-parse --show-toplevel)"
git fetch --quiet origin "$branch"
git checkout --quiet --detach FETCH_HEAD

# The packages that the lock files name, which a clone does not have.
for ring in "$PROMOTE_FROM" "$PROMOTE_TO"; do
  ./chowkd module:install --locked "--ring=$ring" > /dev/null
done
./chowkd ring:promote "$PROMOTE_ALIAS" "--from=$PROMOTE_FROM" "--to=$PROMOTE_TO" \
  ${PROMOTE_SOAK:+"--soak=$PROMOTE_SOAK"} ${PROMOTE_FORCE:+--force}

git add --all -- modules/manifest.lock.json
if [ -d modules/manifests ]; then git add --all -- modules/manifests ':(exclude)*.previous'; fi
if git diff --cached --quiet; then
  echo "The lock file of $PROMOTE_TO has not changed."
  exit 0
fi
git -c "user.name=${GITLAB_USER_NAME:-Chowk}" -c "user.email=${GITLAB_USER_EMAIL:-chowk@localhost}" \
  commit --quiet --message="chore(rings): promote $PROMOTE_ALIAS from $PROMOTE_FROM to $PROMOTE_TO"

# Others may push meanwhile. A conflict in the lock file ends the script: the promotion has to be checked again.
for attempt in 1 2 3; do
  if git push --quiet origin "HEAD:$branch"; then
    echo "Committed $(git rev-parse --short HEAD) to $branch."
    exit 0
  fi
  git fetch --quiet origin "$branch"
  git -c "user.name=${GITLAB_USER_NAME:-Chowk}" -c "user.email=${GITLAB_USER_EMAIL:-chowk@localhost}" rebase --quiet FETCH_HEAD
done
echo "promote.sh: could not push to $branch" >&2
exit 1
