import { ConnectionProblem } from './connection-problem.ts';
import { headerNameSuffix, headerText } from './header-text.ts';

/** On whose behalf requests are made. */
export interface Impersonated {
  readonly user: string | undefined;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Request headers of an impersonation. Source: client-go/transport/round_trippers.go, impersonatingRoundTripper. */
export function impersonationHeaders(as: Impersonated): Readonly<Record<string, string | readonly string[]>> {
  const extra = Object.entries(as.extra).filter(([, values]) => values.length > 0);
  if (as.user === undefined) {
    if (as.uid === undefined && as.groups.length === 0 && extra.length === 0) return {};
    throw new ConnectionProblem(
      'groups, a uid or extra values are to be impersonated without a user',
      'Add --as USER (in a kubeconfig: as).',
    );
  }
  return {
    'Impersonate-User': legal(as.user),
    ...(as.uid === undefined ? {} : { 'Impersonate-Uid': legal(as.uid) }),
    ...(as.groups.length === 0 ? {} : { 'Impersonate-Group': as.groups.map(legal) }),
    ...Object.fromEntries(
      extra.map(([key, values]) => [`Impersonate-Extra-${headerNameSuffix(key)}`, values.map(legal)]),
    ),
  };
}

function legal(value: string): string {
  const text = headerText(value);
  if (text !== undefined) return text;
  throw new ConnectionProblem(
    'a name to impersonate holds a line break or another control character',
    'Correct --as, --as-group or --as-uid.',
  );
}
