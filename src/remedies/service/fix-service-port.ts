import { servicePortOf } from '../../apiserver/routing/route.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { hasOtherPurpose, type ServicePort } from '../../facts/objects/service.ts';
import { listed } from '../../phrases/lists.ts';
import { serviceBehind, serviceFieldPlan, whoReverts } from '../backend.ts';
import { clientConfigKinds, defineRemedy } from '../remedy.ts';

/** True for a port that serves plain HTTP, by its number or name. */
const isPlainHttp = ({ port, name = '' }: ServicePort): boolean => port === 80 || /^http(?:-|$)/i.test(name);

export const fixServicePort = defineRemedy({
  meta: {
    id: 'fix-service-port',
    title: 'Correct the port in clientConfig',
    risk: 'safe',
    does: 'Sets `clientConfig.service.port` to the Service port whose targetPort has the configured number. Otherwise it uses the only port that is not for metrics, probes or a debugger by its name.',
    leaves: 'The server behind the port: only a call shows whether it serves TLS.',
    answers: ['service-port-missing'],
    touches: [{ operation: 'patch', kinds: clientConfigKinds }],
  },
  about: 'service-backed',
  requires: ['services'],
  plan({ callout }, facts) {
    const service = serviceBehind(callout, facts);
    const { port: before } = callout.client.service;
    if (service === undefined || servicePortOf(service, before) !== undefined) return undefined;
    const ports = (service.spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
    const behind = ports.filter(({ targetPort }) => targetPort === before);
    const [only, ...others] =
      behind.length > 0 ? behind : ports.filter((port) => !hasOtherPurpose(port, callout.kind));
    const name = keyOf(callout.client.service);
    if (only === undefined) {
      const besides = ports.length === 0 ? '' : ' besides those for metrics, probes or a debugger';
      return `Service ${name} has no TCP port${besides}: nothing can be called.`;
    }
    // Beside a port of metrics, that of plain HTTP may be of the program itself.
    const isGuess = behind.length === 0 && ports.length > 1 && isPlainHttp(only);
    if (others.length > 0 || isGuess) {
      const candidates = listed((isGuess ? ports : [only, ...others]).map(({ port }) => `${port}`));
      return `Service ${name} has ports ${candidates}; it is unknown which of them serves the webhook.`;
    }
    return {
      ...serviceFieldPlan(callout, 'port', only.port),
      warnings: whoReverts(callout.metadata),
    };
  },
});
