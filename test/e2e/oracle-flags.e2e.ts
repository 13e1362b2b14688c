import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { CalloutReport, DoctorReport } from '../../src/diagnose/report.ts';
import { validatingWebhook } from '../cluster/backend-pods.ts';
import { apiServer, needs, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin, startPlugin } from '../support/plugin.ts';
import { ownAddress } from './oracle-facts.ts';

const host = ownAddress();
/** Longer than the shorter --request-timeout, shorter than timeoutSeconds. */
const slowly = 6_000;

const short = '--request-timeout=4s';

/** Flags that no object shows, in several combinations. */
const positions: readonly (readonly string[])[] = [
  ['--feature-gates=WatchList=true'],
  ['--feature-gates=WatchList=false'],
  ['--feature-gates=UnauthenticatedHTTP2DOSMitigation=true'],
  ['--feature-gates=UnauthenticatedHTTP2DOSMitigation=false'],
  [short],
];

for (const flags of positions) {
  describe(`an API server with ${flags.join(' ')}`, function () {
    needs('api-server');
    this.timeout(180_000);
    const scene = useScene(() => apiServer({ arguments: flags }));
    let server: Server | undefined;
    let url = '';
    let ca = '';

    before(async () => {
      const issuer = await authority({ cn: 'policy-ca' });
      ca = issuer.cert;
      const { cert, key } = await issue(issuer, { ips: [host] });
      server = createServer({ cert, key }, (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
          const body = JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } });
          const respond = () => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
          setTimeout(respond, request.url?.startsWith('/slow') ? slowly : 0);
        });
      });
      await new Promise<void>((resolve) => server?.listen(0, host, resolve));
      url = `https://${host}:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      server?.closeAllConnections();
      server?.close();
    });

    const made = (service: string, clientConfig?: object) =>
      validatingWebhook(scene.namespace, {
        service,
        caBundle: ca,
        webhook: {
          ...(clientConfig && { clientConfig }),
          objectSelector: { matchLabels: { for: service } },
          timeoutSeconds: 10,
        },
      });
    const at = (path: string) => ({ url: `${url}${path}`, caBundle: Buffer.from(ca).toString('base64') });

    const reportOf = async (name: string): Promise<CalloutReport> => {
      const configuration = `${name}-${scene.namespace}`;
      const flagsOf = ['--kubeconfig', scene.kubeconfig, '-o', 'json'];
      const { stdout, stderr } = await plugin(['doctor', configuration, ...flagsOf]);
      const { callouts } = JSON.parse(stdout) as DoctorReport;
      const found = callouts.find(
        (callout) => 'configuration' in callout && callout.configuration === configuration,
      );
      if (found === undefined) throw new Error(`${stdout}\n${stderr}`);
      return found;
    };

    it('reports the same for a healthy webhook, and for one whose Service is missing', async () => {
      await scene.create(made('well', at('/well')));
      await scene.create(made('missing'));
      const [well, missing] = [await reportOf('well'), await reportOf('missing')];
      expect(well.verdict.state, JSON.stringify(well)).to.equal('healthy');
      expect(missing.verdict.state, JSON.stringify(missing)).to.equal('failing');
      expect(missing.verdict.error).to.include('service "missing" not found');
    });

    if (flags.includes(short))
      it('does not report a webhook as healthy if requests time out before it responds', async () => {
        await scene.create(made('slow', at('/slow')));
        const { verdict, notTried } = await reportOf('slow');
        // Instead of a 504 the API server may close the connection, without a reason.
        const wasCutOff = JSON.stringify(notTried ?? []).includes('closed the connection');
        if (!wasCutOff) expect(verdict.state, JSON.stringify({ verdict, notTried })).to.equal('unknown');
      });

    it('sends a new webhook to a watch', async () => {
      const watching = startPlugin(['list', '-w', '--kubeconfig', scene.kubeconfig]);
      await scene.create(made('later', at('/well')));
      try {
        await waitFor('the new webhook', () => watching.written().stdout.includes('later') || undefined);
      } finally {
        watching.kill('SIGINT');
      }
      expect((await watching.ended).code).to.equal(130);
    });
  });
}
