import { Default, Line, MoneyInput, named, Tags, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { Components, inlineSchema } from './components.ts';

const Thing = named('Thing', Type.Object({ name: Type.String(), size: Default(Type.Integer(), 1) }));
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a named schema is written once and referenced', () => {
  const components = new Components();
  expect(components.describe(Type.Object({ one: Thing, all: Type.Array(Thing) }), 'output')).toEqual({
    type: 'object',
    required: ['one', 'all'],
    properties: { one: ref('Thing'), all: { type: 'array', items: ref('Thing') } },
  });
  expect(Object.keys(components.schemas)).toEqual(['Thing']);
  expect(components.schemas.Thing).not.toHaveProperty('title');
});

test('different schemas of the same name are an error; equal ones are merged', () => {
  const components = new Components();
  components.describe(Thing, 'output');
  const same = named('Thing', Type.Object({ name: Type.String(), size: Default(Type.Integer(), 1) }));
  expect(components.describe(same, 'output')).toEqual(ref('Thing'));
  const other = named('Thing', Type.Object({ name: Type.Integer() }));
  expect(() => components.describe(other, 'output')).toThrow('two different schemas are named Thing');
  expect(() => components.describe(Type.Array(other), 'output')).toThrow('two different schemas are named Thing');
});

test('an input that differs from the output of the same name gets the suffix Input', () => {
  const components = new Components();
  expect(components.describe(Thing, 'output')).toEqual(ref('Thing'));
  expect(components.describe(Thing, 'input')).toEqual(ref('ThingInput'));
  expect(components.describe(Thing, 'input')).toEqual(ref('ThingInput'));
  expect(components.schemas).toMatchObject({
    Thing: { required: ['name', 'size'] },
    ThingInput: { required: ['name'] },
  });
  const other = named('Thing', Type.Object({ colour: Type.String() }));
  expect(() => components.describe(other, 'input')).toThrow('two different schemas are named Thing');
});

test('an input that is the same as the output shares its name', () => {
  const components = new Components();
  const Plain = named('Plain', Type.Object({ name: Type.String() }));
  expect(components.describe(Plain, 'output')).toEqual(ref('Plain'));
  expect(components.describe(Plain, 'input')).toEqual(ref('Plain'));
});

test('an input without an output of the same name keeps its name', () => {
  const components = new Components();
  expect(components.describe(Thing, 'input')).toEqual(ref('Thing'));
  expect(components.schemas.Thing).toMatchObject({ required: ['name'] });
});

test('keywords of the validator are not described', () => {
  const schema = Type.Object({ name: Line(5), price: MoneyInput, tags: Tags });
  const text = JSON.stringify(new Components().describe(schema, 'input'));
  for (const keyword of ['trim', 'money', 'distinct', 'nullIfEmpty']) expect(text).not.toContain(`"${keyword}":`);
  expect(text).toContain('"maxLength":5');
});

test('a field named like a keyword is described like any other', () => {
  const schema = Type.Object({ trim: Type.String(), properties: Type.Object({ money: Thing }), items: Thing });
  expect(new Components().describe(schema, 'output')).toEqual({
    type: 'object',
    required: ['trim', 'properties', 'items'],
    properties: {
      trim: { type: 'string' },
      properties: { type: 'object', required: ['money'], properties: { money: ref('Thing') } },
      items: ref('Thing'),
    },
  });
});

test('named schemas are found at any depth', () => {
  const components = new Components();
  const found = components.describe(
    Type.Object({
      either: Type.Union([Thing, Type.Null()]),
      both: Type.Intersect([Thing, Type.Object({ more: Type.String() })]),
      map: Type.Record(Type.String(), Thing),
    }),
    'output',
  );
  expect(JSON.stringify(found).match(/#\/components\/schemas\/Thing"/g)).toHaveLength(3);
  expect(JSON.stringify(found)).not.toContain('"title"');
});

test('equal responses are merged; others of the same name get a number', () => {
  const components = new Components();
  const [one, other, third] = [{ description: 'a' }, { description: 'b' }, { description: 'c' }];
  expect(components.response('NotFound', one)).toEqual({ $ref: '#/components/responses/NotFound' });
  expect(components.response('NotFound', other)).toEqual({
    $ref: '#/components/responses/NotFound2',
  });
  expect(components.response('Conflict', third)).toEqual({
    $ref: '#/components/responses/Conflict',
  });
  expect(components.response('NotFound', { ...one })).toEqual({ $ref: '#/components/responses/NotFound' });
  expect(components.response('NotFound', { description: 'd' })).toEqual({ $ref: '#/components/responses/NotFound3' });
  expect(components.responses).toEqual({
    NotFound: one,
    NotFound2: other,
    Conflict: third,
    NotFound3: { description: 'd' },
  });
});

test('an inline schema has no references', () => {
  const schema = inlineSchema(Type.Object({ all: Type.Array(Thing), one: Type.Optional(Thing) }));
  expect(JSON.stringify(schema)).not.toMatch(/\$ref|"title"|"examples"/);
  expect(schema).toMatchObject({ properties: { all: { items: { required: ['name'] } } } });
});

test('an inline schema has only formats that other validators know', () => {
  const schema = inlineSchema(
    Type.Object({ at: Type.String({ format: 'date-time' }), in: Type.String({ format: 'currency' }) }),
  );
  expect(schema).toMatchObject({ properties: { at: { type: 'string', format: 'date-time' }, in: { type: 'string' } } });
  expect(JSON.stringify(schema)).not.toContain('currency');
});
