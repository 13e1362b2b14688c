import { describeDoctor } from '../diagnosed.ts';
import { upgradesAndLeftovers } from '../states/upgrades-and-leftovers.ts';

describeDoctor('upgrades and leftovers', upgradesAndLeftovers);
