import { describeDoctor } from '../diagnosed.ts';
import { selectionAndOrder } from '../states/selection-and-order.ts';

describeDoctor('selection and order', selectionAndOrder);
