import { Default, Line, MoneyInput, named, Tags, Type } from '@chowk/kit';
import { expect, test } from 'vitest';
import { Components, inlineSchema } from './components.ts';

const Thing = named('Thing', Type.Object({ name: Type.String(), size: Default(Type.Integer(), 1) }));
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a schema with a name is written once and referred to', () => {
  const components = new Components();
  expect(components.of(Type.Object({ one: Thing, all: Type.Array(Thing) }), 'output')).toEqual({
    type: 'object',
    required: ['one', 'all'],
    properties: { one: ref('Thing'), all: { type: 'array', items: ref('Thing') } },
  });
  expect(Object.keys(components.schemas)).toEqual(['Thing']);
  expect(components.schemas.Thing).not.toHaveProperty('title');
});

test('two different schemas of one name are refused, two of the same are one', () => {
  const components = new Components();
  components.of(Thing, 'output');
  const same = named('Thing', Type.Object({ name: Type.String(), size: Default(Type.Integer(), 1) }));
  expect(components.of(same, 'output')).toEqual(ref('Thing'));
  const other = named('Thing', Type.Object({ name: Type.Integer() }));
  expect(() => components.of(other, 'output')).toThrow('two different schemas are named Thing');
  expect(() => components.of(Type.Array(other), 'output')).toThrow('two different schemas are named Thing');
});

test('an input that differs from the output of the same name is called so', () => {
  const components = new Components();
  expect(components.of(Thing, 'output')).toEqual(ref('Thing'));
  expect(components.of(Thing, 'input')).toEqual(ref('ThingInput'));
  expect(components.of(Thing, 'input')).toEqual(ref('ThingInput'));
  expect(components.schemas).toMatchObject({
    Thing: { required: ['name', 'size'] },
    ThingInput: { required: ['name'] },
  });
  const other = named('Thing', Type.Object({ colour: Type.String() }));
  expect(() => components.of(other, 'input')).toThrow('two different schemas are named Thing');
});

test('an input that is the same as the output shares its name', () => {
  const components = new Components();
  const Plain = named('Plain', Type.Object({ name: Type.String() }));
  expect(components.of(Plain, 'output')).toEqual(ref('Plain'));
  expect(components.of(Plain, 'input')).toEqual(ref('Plain'));
});

test('an input by itself has its own name', () => {
  const components = new Components();
  expect(components.of(Thing, 'input')).toEqual(ref('Thing'));
  expect(components.schemas.Thing).toMatchObject({ required: ['name'] });
});

test('what only the server does to an input is not described', () => {
  const schema = Type.Object({ name: Line(5), price: MoneyInput, tags: Tags });
  const text = JSON.stringify(new Components().of(schema, 'input'));
  for (const keyword of ['trim', 'money', 'distinct', 'nullIfEmpty']) expect(text).not.toContain(`"${keyword}":`);
  expect(text).toContain('"maxLength":5');
});

test('a field named like a keyword is described like any other', () => {
  const schema = Type.Object({ trim: Type.String(), properties: Type.Object({ money: Thing }), items: Thing });
  expect(new Components().of(schema, 'output')).toEqual({
    type: 'object',
    required: ['trim', 'properties', 'items'],
    properties: {
      trim: { type: 'string' },
      properties: { type: 'object', required: ['money'], properties: { money: ref('Thing') } },
      items: ref('Thing'),
    },
  });
});

test('schemas with names are found wherever they stand', () => {
  const components = new Components();
  const found = components.of(
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

test('responses that say the same are one, others of the same name get a number', () => {
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

test('in place, nothing refers to anything', () => {
  const schema = inlineSchema(Type.Object({ all: Type.Array(Thing), one: Type.Optional(Thing) }));
  expect(JSON.stringify(schema)).not.toMatch(/\$ref|"title"|"examples"/);
  expect(schema).toMatchObject({ properties: { all: { items: { required: ['name'] } } } });
});
