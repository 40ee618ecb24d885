import { NamedObject, Nullable, Type } from '@chowk/kit';

const ConsoleField = NamedObject('ConsoleField', {
  name: Type.String({ examples: ['text'] }),
  label: Type.String({ examples: ['Text'] }),
  kind: Type.Enum(['text', 'long_text', 'number', 'money', 'boolean', 'date', 'time', 'choice', 'list']),
  help: Nullable(Type.String()),
  is_required: Type.Boolean(),
  options: Type.Array(Type.String(), { description: 'The values of a choice.' }),
  max_length: Nullable(Type.Integer()),
});

const consoleCall = {
  route: Type.String({ description: 'Method and path below `/api/v1/`.', examples: ['GET notes'] }),
  parent: Nullable(Type.String({ description: 'The field that gets the id of the customer or the order.' })),
};

/** A page, widget or section of a module in the console. */
export const ConsoleEntry = NamedObject('ConsoleEntry', {
  module: Type.String({ examples: ['notes'] }),
  name: Type.String({ examples: ['board'] }),
  place: Type.Enum(['page', 'home', 'customer', 'order'], {
    description: "A page, a part of Home, or a section of a customer's or an order's page.",
  }),
  title: Type.String({ examples: ['Notes'] }),
  icon: Type.String({ examples: ['Package'] }),
  content: Nullable(
    NamedObject('ConsoleContent', {
      ...consoleCall,
      is_list: Type.Boolean(),
      is_paged: Type.Boolean(),
      key: Nullable(Type.String({ description: 'The field of the response with the rows or the record.' })),
      columns: Type.Array(ConsoleField),
      filters: Type.Array(ConsoleField),
      has_search: Type.Boolean(),
      sorts: Type.Array(Type.String()),
    }),
  ),
  actions: Type.Array(
    NamedObject('ConsoleAction', {
      ...consoleCall,
      name: Type.String({ examples: ['notes.create'] }),
      label: Type.String({ examples: ['Create a note'] }),
      method: Type.String({ examples: ['POST'] }),
      fields: Type.Array(ConsoleField),
      row: Type.Array(Type.String(), { description: 'The fields of a row that are part of the path.' }),
    }),
  ),
  script: Nullable(Type.String({ description: 'The path of the script with a React component.' })),
});
