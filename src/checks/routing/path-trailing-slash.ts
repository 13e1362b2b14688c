import { failingServers } from '../../apiserver/connection/failing-servers.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import { effectivePath } from '../../apiserver/routing/effective-path.ts';
import { urlParts } from '../../basics/url.ts';
import { type Callout, clientConfigEvidence } from '../../facts/callout.ts';
import { defineCheck, fatal, partial } from '../check.ts';

const pathOf = ({ client }: Callout): string =>
  client.service?.path ?? urlParts(client.url ?? '')?.path ?? '';

export const pathTrailingSlash = defineCheck({
  meta: {
    id: 'path-trailing-slash',
    title: 'Trailing slash of the path is not sent',
    severity: 'warning',
    why: 'The API server removes a trailing slash from the path, and a Go server that serves only the path with the slash redirects (301). The API server follows with a GET without the object, so the response is not a valid review and the call fails.',
    advice:
      '[end] Serve the path without the slash. [end] Then set that path in the configuration: `kubectl edit {kind} {configuration}`. [look] Check the result: `kubectl webhook doctor {configuration}`.',
    noRemedy: 'in-the-server',
    messages: {
      dropped: 'The API server removes the slash at the end of the path: it calls {requested}, not {path}',
      redirected: fatal(
        '{path} is requested as {requested}, which is redirected by {replicas} ({bad} of {total} replicas): {detail}',
      ),
      someRedirected: partial(
        '{path} is requested as {requested}, which is redirected by {replicas} ({bad} of {total} replicas): {detail}',
      ),
    },
  },
  requires: probeFacts,
  subjects: ({ callouts }) => callouts.filter((callout) => pathOf(callout) !== ''),
  run(callout, facts, find) {
    const path = pathOf(callout);
    const requested = effectivePath(path);
    if (requested === '/' || !path.endsWith('/')) return;
    const { service, url = '' } = callout.client;
    const evidence =
      service === undefined
        ? clientConfigEvidence(callout, 'url', url)
        : clientConfigEvidence(callout, 'service.path', path);
    const redirecting = probedCallouts(facts).includes(callout)
      ? failingServers(callout, facts, ({ callResult }) => callResult.fault === 'redirects')
      : undefined;
    if (redirecting === undefined) return find('dropped', { path, requested }, [evidence]);
    const message = redirecting.extent === 'all' ? 'redirected' : 'someRedirected';
    const data = { ...redirecting.data, path, requested };
    return find(message, data, [evidence, ...redirecting.evidence], 'observed');
  },
});
