import { expect } from 'chai';
import { requestsInjection } from '../../src/products/requested-injection.ts';

describe('annotations that request injection', () => {
  it('have a name of injection, and an affirmative value or the object that configures it', () => {
    for (const [key, value] of [
      ['vault.hashicorp.com/agent-inject', 'true'],
      ['linkerd.io/inject', 'enabled'],
      ['sidecar.jaegertracing.io/inject', 'tracing'],
      ['instrumentation.opentelemetry.io/inject-java', 'monitoring/tracing'],
      ['instrumentation.opentelemetry.io/inject-apache-httpd', 'tracing'],
    ] as const)
      expect(requestsInjection(key, value), `${key}=${value}`).to.equal(true);
  });
  it('do not set an option, refuse injection, or show its result', () => {
    for (const [key, value] of [
      ['cert-manager.io/inject-ca-from', 'shop/policy'],
      ['example.org/inject-strategy', 'replace'],
      ['example.org/inject-result', 'failed'],
      ['example.org/inject-region', 'eu'],
      ...['deny', 'denied', 'optional', 'inherit', 'unset', 'opt-out', 'out', 'not-needed', 'failed'].map(
        (one) => ['example.org/inject', one],
      ),
    ] as const)
      expect(requestsInjection(key as string, value as string), `${key}=${value}`).to.equal(false);
  });
});
