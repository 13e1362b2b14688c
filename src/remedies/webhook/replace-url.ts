import { servicePortOf } from '../../apiserver/routing/route.ts';
import { urlParts, urlPort } from '../../basics/url.ts';
import { clientConfigPath, serviceOfUrl } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { clientConfigEdit, whoReverts } from '../backend.ts';
import { clientConfigKinds, defineRemedy } from '../remedy.ts';

export const replaceUrl = defineRemedy({
  meta: {
    id: 'replace-url',
    title: 'Replace the URL in clientConfig with its Service',
    risk: 'careful',
    does: 'Removes `clientConfig.url` and sets `clientConfig.service` to the Service that its host names, with the port and the path of the URL.',
    leaves:
      'The serving certificate: it must be valid for NAME.NAMESPACE.svc. The Pods behind the Service: only a call shows whether they serve the webhook.',
    answers: ['url-in-cluster-name'],
    touches: [{ operation: 'patch', kinds: clientConfigKinds }],
  },
  about: 'url-backed',
  requires: ['services'],
  plan({ callout }, { services }) {
    const { url, caBundle = '' } = callout.client;
    const named = serviceOfUrl(url);
    const port = urlPort(url);
    const service = named && services.get(keyOf(named));
    // Without a caBundle, the API server uses the CAs of its host, which sign no names of Services.
    if (service === undefined || port === undefined || caBundle === '') return undefined;
    if (servicePortOf(service, port) === undefined) return undefined;
    const { namespace = '', name } = service.metadata;
    const path = urlParts(url)?.path ?? '';
    return {
      summary: `${clientConfigPath(callout).at(-1)} of ${callout.webhook} names Service ${namespace}/${name}, port ${port}, instead of ${url}`,
      edits: [
        clientConfigEdit(callout, 'url', url, undefined),
        clientConfigEdit(callout, 'service', undefined, {
          namespace,
          name,
          port,
          ...(path === '' ? {} : { path }),
        }),
      ],
      warnings: [
        `The serving certificate must be valid for ${name}.${namespace}.svc.`,
        ...whoReverts(callout.metadata),
      ],
    };
  },
});
