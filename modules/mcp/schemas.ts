import { NamedObject, Type } from '@chowk/kit';

const Id = Type.Union([Type.String(), Type.Integer()]);

export const Message = NamedObject('McpMessage', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Id),
  method: Type.String({ examples: ['tools/list'] }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const JsonRpcError = Type.Object({
  code: Type.Integer({ examples: [-32700] }),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
});

export const Reply = NamedObject('McpReply', {
  jsonrpc: Type.Literal('2.0'),
  id: Id,
  result: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  error: Type.Optional(JsonRpcError),
});

export const Refusal = NamedObject('McpRefusal', {
  jsonrpc: Type.Literal('2.0'),
  id: Type.Null(),
  error: JsonRpcError,
});
