import type { AdmissionRequest, Operation } from '../../apiserver/admission/admission-request.ts';
import { impactOf } from '../../apiserver/admission/impact.ts';
import { extentText, selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';

type Known = Pick<Facts, 'namespaces' | 'served'>;

const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Operations of a resource that go through admission. */
function operationsOf({ resource, verbs }: ServedResource): readonly Operation[] {
  const [, subresource] = resource.split('/');
  if (subresource !== undefined && connecting.has(subresource)) return ['CONNECT'];
  return [
    ...(verbs.includes('create') ? (['CREATE'] as const) : []),
    ...(verbs.includes('update') || verbs.includes('patch') ? (['UPDATE'] as const) : []),
    ...(verbs.includes('delete') ? (['DELETE'] as const) : []),
  ];
}

const list = (words: readonly string[], most = words.length): string => {
  const shown = words.length > most ? [...words.slice(0, most), `${words.length - most} more`] : words;
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}` : (shown[0] ?? '');
};

/** `CREATE and UPDATE of 3 resources (configmaps, pods, secrets) in every namespace`, by the model of the API server. */
export function coveredText(callout: AdmissionCallout, facts: Known): string {
  const names = selectedNamespaces(callout, facts);
  const where = names.length === 0 ? 'outside of namespaces' : `in ${extentText(names, facts)}`;
  if (!facts.served.known('served')) return `${ruleText(callout)} ${where}`;
  const requests = (facts.served.get('served')?.resources ?? []).flatMap((served) =>
    operationsOf(served).map((operation) => ({ served, request: requestFor(served, operation, names[0]) })),
  );
  const asked = impactOf(callout, requests, facts).asked.map(({ about }) => about);
  const resources = [...new Set(asked.map(({ served }) => served.resource))];
  if (resources.length === 0) return `${ruleText(callout)} ${where}`;
  const operations = [...new Set(asked.map(({ request }) => request.operation))];
  const many =
    resources.length === 1 ? resources[0] : `${resources.length} resources (${list(resources, 4)})`;
  return `${list(operations)} of ${many} ${where}`;
}

function requestFor(
  { group, version, resource, namespaced }: ServedResource,
  operation: Operation,
  namespace = 'default',
): AdmissionRequest {
  const [plural = '', subresource] = resource.split('/');
  return {
    operation,
    group,
    version,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespaced ? { namespace } : {}),
  };
}

/** What the rules say, where nobody knows what the API server serves. */
function ruleText({ rules }: AdmissionCallout): string {
  const operations = [...new Set(rules.flatMap((rule) => rule.operations))];
  const resources = [...new Set(rules.flatMap((rule) => rule.resources))];
  return `${list(operations)} of ${list(resources, 4)}`;
}
