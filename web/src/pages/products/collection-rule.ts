import type { CollectionCondition, CollectionRule } from '@chowk/client';

export type RuleField = CollectionCondition['field'];
type Operator = CollectionCondition['operator'];

export const fieldLabels: Readonly<Record<RuleField, string>> = {
  tag: 'Tag',
  category: 'Category',
  title: 'Title',
  price: 'Price',
  stock: 'Available units',
};

export const operatorLabels: Readonly<Record<Operator, string>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  above: 'is above',
  below: 'is below',
};

/** Those that the platform accepts. */
export function operatorsFor(field: RuleField): readonly Operator[] {
  if (field === 'title') return ['contains', 'is', 'is_not'];
  return field === 'price' || field === 'stock' ? ['above', 'below', 'is', 'is_not'] : ['is', 'is_not'];
}

export function describeRule({ match, conditions }: CollectionRule): string {
  const parts = conditions.map(
    ({ field, operator, value }) => `${fieldLabels[field].toLowerCase()} ${operatorLabels[operator]} ${value}`,
  );
  const text = parts.join(match === 'any' ? ' or ' : ' and ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
