import { expect } from 'chai';
import { inCatalogue } from '../../../src/checks/catalogue.ts';
import { sharedText } from '../../../src/checks/check.ts';
import { firewallTargetPort } from '../../../src/checks/network/firewall-target-port.ts';
import { allows, describeFault, proxySays, tried } from '../probed.ts';

for (const words of [
  'dial tcp 198.51.100.11:8443: i/o timeout',
  'proxy error from 127.0.0.1:9345 while dialing 198.51.100.11:8443, code 504: 504 Gateway Timeout',
])
  describeFault(
    firewallTargetPort,
    { ...allows, proxy: proxySays(words) },
    [],
    [
      {
        name: 'it with an address to connect to',
        facts: tried([{ ...allows, proxy: proxySays(words) }]),
        expect: { messageId: 'all', names: { pod: 'policy-1', address: '198.51.100.11:8443' } },
      },
    ],
  );

describe('firewall-target-port of several backends', () => {
  it('names the port: those of other ports are another rule of the firewall', () =>
    expect(sharedText(inCatalogue(firewallTargetPort).meta, 'all')).to.match(/^Port \{port\}/));
});
