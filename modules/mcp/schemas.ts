import { NamedObject, Type } from '@chowk/kit';

const Id = Type.Union([Type.String(), Type.Integer()]);

export const Message = NamedObject('McpMessage', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Id),
  method: Type.String({ examples: ['tools/list'] }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const Reply = NamedObject('McpReply', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([Id, Type.Null()]),
  result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  error: Type.Optional(
    Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
  ),
});
