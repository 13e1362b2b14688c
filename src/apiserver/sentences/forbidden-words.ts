import type { Forbidden } from '../../facts/rbac-denial.ts';

/** Text in a log may be quoted once more: `\"`. */
const quote = '\\\\*"';
const quoted = (name: string): string => `${quote}(?<${name}>[^"\\\\]*)${quote}`;
/** `NAME is forbidden: User "U" cannot V resource "R" in API group "G" in the namespace "N"` (endpoints/handlers/responsewriters/errors.go). */
const sentence = new RegExp(
  `is forbidden: User ${quote}system:serviceaccount:(?<home>[^:"\\\\]+):(?<account>[^"\\\\]+)${quote} cannot (?<verb>[\\w:-]+) ` +
    `resource ${quoted('resource')} in API group ${quoted('group')}(?: in the namespace ${quoted('namespace')})?`,
);

/** Reads the sentence with which the API server refuses a ServiceAccount, wherever in a text it stands. */
export function forbiddenIn(text: string): Forbidden | undefined {
  const found = sentence.exec(text)?.groups;
  if (found === undefined) return undefined;
  const { home, account, verb = '', resource = '', group = '', namespace } = found;
  return {
    account: `${home}/${account}`,
    verb,
    resource: group === '' ? resource : `${resource}.${group}`,
    namespace,
  };
}

/** A request for which its user has no right. */
interface Unauthorized {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Of the authorizer; mostly none. */
  readonly reason?: string | undefined;
}

/** The sentence itself (responsewriters/errors.go forbiddenMessage, api/errors NewForbidden). */
export function forbiddenText({
  user,
  verb,
  group,
  resource,
  namespace,
  name,
  reason,
}: Unauthorized): string {
  const what = [`${resource}${group && `.${group}`}`, ...(name ? [`"${name}"`] : [])].join(' ');
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const why = reason ? `: ${reason}` : '';
  return `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}${why}`;
}
