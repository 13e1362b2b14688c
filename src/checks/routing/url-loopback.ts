import { ownCallEndedIn } from '../../apiserver/connection/own-call-result.ts';
import { behaves } from '../../apiserver/server-version.ts';
import { isLoopbackHost, urlHost } from '../../basics/url.ts';
import { calloutId, clientConfigEvidence, isUrlBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { namesakeOf } from '../../products/namesakes.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck, fatal, undecided } from '../check.ts';

/** The URL with its IPv6 address in brackets: `https://[::1]:9743/node`. */
const bracketed = (url: string): string => url.replace(/^(\w+:\/\/)([\da-f:]+?)(:\d+)?(?=\/|$)/i, '$1[$2]$3');

export const urlLoopback = defineCheck({
  meta: {
    id: 'url-loopback',
    title: "URL points to the API server's own host",
    severity: 'warning',
    why: 'Each API server connects to this address on its own host. A webhook that does not run on every control plane node fails on the others.',
    advice:
      '[end] If a developer or a test left this configuration, delete it: `kubectl delete {kind} {leftover}`. [end] If the process does not run on every control plane node (as a cloud controller manager with webhooks does), use `clientConfig.service`: `kubectl edit {kind} {configuration}`.',
    noRemedy: 'a-decision',
    messages: {
      unserved: fatal(
        'The URL names {host}: the API server calls its own host, where no process listens on the port: {detail}',
      ),
      unbracketed: fatal(
        'The API server cannot call {url}: its IPv6 address has no brackets, as in {corrected}',
        '[end] Put the address of `clientConfig.url` in brackets: `kubectl edit {kind} {configuration}`. [end] If a program writes this URL, correct it there.',
      ),
      leftover: undecided(
        'The URL names {host}: each API server calls its own host. {other} has the same webhook, and calls Service {service}',
        '[end] If a developer or a test left this configuration, delete it: `kubectl delete {kind} {leftover}`. [with] Keep it only if its process runs on every control plane node.',
      ),
      loopback:
        'The URL names {host}: each API server calls its own host, so calls succeed only where the webhook runs there',
    },
    references: [
      '/docs/reference/access-authn-authz/extensible-admission-controllers/#url',
      'https://kep.k8s.io/2699',
    ],
  },
  requires: ['version', 'callouts', 'services', 'probes'],
  subjects: ({ callouts }) => callouts.filter(isUrlBacked),
  run(callout, facts, find) {
    const { url } = callout.client;
    const host = urlHost(url);
    if (host === undefined || !isLoopbackHost(host) || productOf(callout)?.besideApiServers) return;
    const evidence = [clientConfigEvidence(callout, 'url', url)];
    if (host.includes(':') && !url.includes('[') && behaves(facts.version, 'loopback-over-http2'))
      return find('unbracketed', { url, corrected: bracketed(url) }, evidence);
    const refused = facts.probes.known(calloutId(callout))
      ? ownCallEndedIn(callout, facts, ['connection-refused'])
      : undefined;
    if (refused !== undefined)
      return find(
        'unserved',
        { host, detail: refused.detail },
        [...evidence, ...refused.evidence],
        'observed',
      );
    const other = namesakeOf(callout, facts);
    if (other === undefined) return find('loopback', { host }, evidence);
    const { configuration, client, ref, webhook } = other;
    const same = { object: ref, field: 'webhooks[].name', value: webhook };
    const data = { host, other: configuration, service: keyOf(client.service) };
    return find('leftover', data, [...evidence, same]);
  },
});
