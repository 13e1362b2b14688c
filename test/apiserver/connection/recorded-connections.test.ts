import type { AddressInfo, Server } from 'node:net';
import { expect } from 'chai';
import type { CallResult } from '../../../src/apiserver/connection/call-result.ts';
import { parseCallError } from '../../../src/apiserver/sentences/call-error/parse-call-error.ts';
import { internalError } from '../../../src/apiserver/sentences/call-sentence.ts';
import { admissionCallouts } from '../../../src/facts/callout-of.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { brokenServers, rootOfBrokenServers } from '../../e2e/broken-servers.ts';
import { brokenConfiguration, probeBroken } from '../../oracle/broken-server.ts';
import { authority, issue } from '../../support/certificates.ts';
import { messageOfAnyRun, recordedAnswers } from '../../support/recordings.ts';
import { namespace, objects, snapshotOf } from '../../support/snapshot.ts';

const address = '127.0.0.1';
const configMaps = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  singular: 'configmap',
  namespaced: true,
  verbs: ['create', 'list'],
};
/** Maximum seconds of a probe in these tests. */
const patience = 2;
/** A probe repeats its request as the API server of one version does. */
const isRepeated = (name: string): boolean => name.startsWith('asks to be called again');
const servers = brokenServers.filter(
  ({ name, timeoutSeconds = 0 }) => timeoutSeconds <= patience && !isRepeated(name),
);

describe('failed connections, compared with API servers', function () {
  this.timeout(60_000);
  const met = new Map<string, (version: string) => CallResult>();
  const running: Server[] = [];

  before(async () => {
    const ca = await authority({ cn: 'policy-ca' });
    const identity = await issue(ca, { ips: [address] });
    const caBundle = Buffer.from(`${ca.cert}${rootOfBrokenServers}`).toString('base64');
    const { facts } = snapshotOf({
      served: complete([['served', { resources: [configMaps], stale: [] }]]),
      namespaces: objects(namespace('default')),
    });
    await Promise.all(
      servers.map(async ({ name, serve, timeoutSeconds = 8 }) => {
        const server = serve({ address, ca: ca.cert, ...identity }) as Server;
        running.push(server);
        await new Promise<void>((resolve) => server.listen(0, address, resolve));
        const { port } = server.address() as AddressInfo;
        const index = brokenServers.findIndex((one) => one.name === name);
        const raw = brokenConfiguration(index, { address, port, caBundle, timeoutSeconds });
        const [callout] = admissionCallouts('validating', raw);
        if (callout !== undefined) met.set(name, await probeBroken(callout, facts, facts.version));
      }),
    );
  });
  after(() => {
    for (const server of running) server.close();
  });

  for (const [version, answers] of recordedAnswers<string>('connections')) {
    it(`${version}: the probe predicts the same message`, () => {
      expect(answers.size).to.equal(brokenServers.length);
      for (const { name, uncertain } of servers) {
        const answer = answers.get(name) ?? '';
        const callResult = met.get(name)?.(version);
        if (callResult?.outcome !== 'fails') throw new Error(`${name}: ${JSON.stringify(callResult)}`);
        const { sentence } = callResult;
        if (uncertain) expect(sentence, name).to.equal(undefined);
        else expect(messageOfAnyRun(internalError(sentence ?? '')), name).to.equal(answer);
        expect(parseCallError(answer)?.cause?.kind, answer).to.be.a('string').and.not.equal('other');
      }
    });
  }
});
