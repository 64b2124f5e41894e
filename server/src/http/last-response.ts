import { type IncomingMessage, ServerResponse } from 'node:http'

const keepsAlive = Symbol('keepsAlive')

interface KeptResponse extends ServerResponse {
  /** What the client asked for. */
  [keepsAlive]: boolean
}

/**
 * Creates the class of responses that close their connection if `isLast` returns true when their headers are written:
 * also those to requests that began before, and those that are written as prepared bytes.
 */
export function createResponseClass(
  isLast: (outgoing: ServerResponse) => boolean,
): typeof ServerResponse<IncomingMessage> {
  class LastResponse extends ServerResponse {}
  // Node sets and reads this property, which its types do not let a class override.
  Object.defineProperty(LastResponse.prototype, 'shouldKeepAlive', {
    get(this: KeptResponse) {
      return this[keepsAlive] && !isLast(this)
    },
    set(this: KeptResponse, value: boolean) {
      this[keepsAlive] = value
    },
  })
  return LastResponse
}
