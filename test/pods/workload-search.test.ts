import { expect } from 'chai';
import { backends } from '../../src/apiserver/routing/backends.ts';
import { nearestWorkload } from '../../src/pods/workload-search.ts';
import { healthy, lists, objects, service, snapshotOf, webhook, workload } from '../support/snapshot.ts';

describe('the search for the workload of a Service', () => {
  it('reads the Services once for each workload, however many backends have no Pods', () => {
    const names = Array.from({ length: 20 }, (_, at) => `policy-${at}`);
    const { facts } = snapshotOf(
      healthy({
        callouts: names.map((name) =>
          webhook({
            webhook: `${name}.example.com`,
            client: { service: { namespace: 'shop', name, port: 443 } },
          }),
        ),
        services: objects(...names.map((name) => service({ selector: { app: `${name}x` } }, { name }))),
        workloads: lists({ shop: names.map((name) => workload({ metadata: { name } })) }),
      }),
    );
    let reads = 0;
    const { services } = facts;
    const counting = {
      ...facts,
      services: {
        ...services,
        all() {
          reads += 1;
          return services.all();
        },
      },
    };
    const found = backends(facts).map((backend) => nearestWorkload(backend, counting));
    expect(found).to.have.length(names.length).and.not.include(undefined);
    expect(reads).to.equal(names.length);
  });
});
