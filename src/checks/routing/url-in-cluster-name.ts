import { urlHost } from '../../basics/url.ts';
import { clientConfigEvidence, isUrlBacked, serviceOfUrl } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { defineCheck, undecided } from '../check.ts';

/** For a domain other than the default, only an existing Service shows that it is the cluster domain. */
const isClusterDomain = (host: string): boolean => /\.svc(\.cluster\.local)?\.?$/.test(host);

export const urlInClusterName = defineCheck({
  meta: {
    id: 'url-in-cluster-name',
    title: 'URL has a name that only cluster DNS resolves',
    consequence: 'failing',
    why: 'The API server resolves the host of a URL on its own machine, which does not use cluster DNS: the call fails with `no such host`. For `clientConfig.service` it does not use DNS at all.',
    advice:
      'Replace `clientConfig.url` with `clientConfig.service` (the name, namespace and port of the Service, and the same path): `kubectl edit {kind} {configuration}`.',
    messages: {
      service:
        'The URL names {host}, Service {service}: the host of the API server cannot resolve the names of Services',
      perhapsElsewhere: undecided(
        '{host} is a cluster DNS name, but not a Service of this cluster; only an API server inside another cluster may resolve it',
      ),
    },
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#url'],
  },
  requires: ['callouts', 'services'],
  subjects: ({ callouts }) =>
    callouts.filter(isUrlBacked).filter(({ client }) => serviceOfUrl(client.url) !== undefined),
  run(callout, { services }, find) {
    const { url } = callout.client;
    const named = serviceOfUrl(url);
    if (named === undefined) return;
    const host = urlHost(url) ?? '';
    const service = keyOf(named);
    const evidence = [clientConfigEvidence(callout, 'url', url)];
    if (services.get(service) !== undefined) return find('service', { host, service }, evidence);
    return isClusterDomain(host) ? find('perhapsElsewhere', { host }, evidence) : undefined;
  },
});
