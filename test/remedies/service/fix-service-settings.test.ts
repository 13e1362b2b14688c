import { fixServiceSettings } from '../../../src/remedies/service/fix-service-settings.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, objects, port, service, webhook } from '../../support/snapshot.ts';

const edit = (path: string, expected: unknown, after: unknown) => ({
  object: { kind: 'Service', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path,
  expected,
  after,
});
const withService = (over: Parameters<typeof service>[0]) => healthy({ services: objects(service(over)) });

describeRemedy(fixServiceSettings, {
  plans: [
    {
      name: 'internalTrafficPolicy Cluster',
      facts: withService({ internalTrafficPolicy: 'Local' }),
      expect: {
        edits: [edit('/spec/internalTrafficPolicy', 'Local', 'Cluster')],
        summary: /^internalTrafficPolicy of Service shop\/policy is Cluster instead of Local$/,
        warns: [/Pods on other nodes/],
      },
    },
    {
      name: 'only endpoints that are Ready',
      facts: withService({ publishNotReadyAddresses: true }),
      problem: { check: 'unready-addresses-published' },
      expect: {
        edits: [edit('/spec/publishNotReadyAddresses', true, undefined)],
        summary: /is removed$/,
        warns: [/DNS name/],
      },
    },
    {
      name: 'the protocol of the port that is called',
      facts: withService({
        ports: [port({ name: 'dns', port: 53, protocol: 'UDP' }), port({ protocol: 'UDP' })],
      }),
      problem: { check: 'service-not-proxied' },
      expect: {
        edits: [edit('/spec/ports/1/protocol', 'UDP', 'TCP')],
        summary: /^The protocol of port 443 of Service shop\/policy is TCP instead of UDP$/,
        warns: [/no longer over UDP/],
      },
    },
    {
      name: 'it last where it is not certain that the call fails',
      facts: withService({ internalTrafficPolicy: 'Local' }),
      problem: { breaks: false },
      expect: {
        edits: [edit('/spec/internalTrafficPolicy', 'Local', 'Cluster')],
        unsure: 'it is unknown whether calls fail',
        warns: [/./],
      },
    },
  ],
  doesNotFit: [
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    { name: 'the Service has the default', facts: healthy({}) },
    {
      name: 'another proxy is responsible for the port',
      facts: healthy({}),
      problem: { check: 'service-not-proxied' },
    },
    {
      name: 'the port is offered over two other protocols',
      facts: withService({
        ports: [port({ name: 'a', protocol: 'UDP' }), port({ name: 'b', protocol: 'SCTP' })],
      }),
      problem: { check: 'service-not-proxied' },
    },
    {
      name: 'the webhook is called by URL',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://policy.shop.svc/' } })] }),
    },
  ],
});
