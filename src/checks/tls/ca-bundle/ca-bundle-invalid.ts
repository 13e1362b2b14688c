import { isBlank, trustOf } from '../../../apiserver/certificate/anchors.ts';
import { readPem } from '../../../apiserver/certificate/parse/pem.ts';
import { type Callout, clientConfigEvidence } from '../../../facts/callout.ts';
import { verified } from '../../../serving-certificates/chains.ts';
import { defineCheck } from '../../check.ts';
import { writerFails } from '../writer/certificate-writer-check.ts';

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

/** Classifies the content of a bundle without certificates, to show its origin. */
function contentOf(text: string): 'encodedTwice' | 'noPem' | 'otherBlocks' | 'broken' {
  const { blocks } = readPem(text);
  if (blocks.some(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders)) return 'broken';
  if (blocks.length > 0) return 'otherBlocks';
  return decode(text).includes('-----BEGIN ') ? 'encodedTwice' : 'noPem';
}

const blocksIn = (text: string): string =>
  [...new Set(readPem(text).blocks.map(({ type }) => type))].join(', ');

/** Shows only the beginning of the bundle: the API server's error states the position of the fault. */
const beginning = ({ client: { caBundle = '' } }: Callout): string =>
  caBundle.length > 24 ? `${caBundle.slice(0, 24)}…` : caBundle;

export const caBundleInvalid = defineCheck({
  meta: {
    id: 'ca-bundle-invalid',
    title: 'caBundle contains no readable certificate',
    consequence: 'failing',
    why: 'The API server cannot build a client from it, so every call fails before it connects: `could not get REST client: unable to load root certificates: …`. Requests for a CRD whose conversion webhook has such a bundle fail with `error resolving resource`.',
    advice:
      '[end] Set `caBundle` to the PEM of the CA that signed the serving certificate, base64-encoded once: `openssl base64 -A -in ca.crt`. [look] If a process writes the field, read the log of that process, one of the managers of the configuration: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`.',
    messages: {
      blank: {
        text: 'caBundle is an empty line, a placeholder that nothing has replaced: {error}',
        advice:
          '[look] Find the process that replaces the placeholder (a Job of the chart, the program itself or a CA injector) among the managers of the configuration: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`. [look] Read the log of the process that writes `caBundle`.',
      },
      noPem: 'caBundle is not PEM: {error}',
      encodedTwice: 'caBundle is base64-encoded twice: {error}',
      otherBlocks: 'caBundle contains {blocks} and no certificate: {error}',
      broken: 'caBundle contains no certificate that can be parsed: {error}',
    },
    follows: [...writerFails],
    references: ['https://github.com/kubernetes/client-go/blob/master/transport/transport.go'],
  },
  requires: ['callouts', 'version'],
  subjects: verified,
  run(callout, { version }, find) {
    const trust = trustOf(callout, version);
    if (trust?.kind !== 'refused') return undefined;
    const text = decode(callout.client.caBundle ?? '');
    const evidence = [clientConfigEvidence(callout, 'caBundle', beginning(callout))];
    const content = isBlank(callout.client.caBundle) ? 'blank' : contentOf(text);
    if (content === 'otherBlocks') {
      return find('otherBlocks', { blocks: blocksIn(text), error: trust.text }, evidence);
    }
    return find(content, { error: trust.text }, evidence);
  },
});
