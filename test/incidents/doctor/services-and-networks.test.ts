import { describeDoctor } from '../diagnosed.ts';
import { servicesAndNetworks } from '../states/services-and-networks.ts';

describeDoctor('services and networks', servicesAndNetworks);
