import type { Row, Side } from './test-both.ts'
import { basic, type Parameters, post, secret } from './test-requests.ts'

interface ClientEndpoint {
  path: string
  /** A valid request of the shop, as parameters without its authentication. */
  form: (side: Side) => Promise<Parameters>
  /** The outcome of that request. */
  success: string
}

const encode = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const ofForm = { client_id: 'shop', client_secret: secret }

/** Returns the cases of RFC 6749, section 2.3.1, and of forms, which every endpoint of an authenticated client has. */
export function clientRows({ path, form, success }: ClientEndpoint): Row[] {
  /** Adds parameters to the valid request. */
  const send =
    (parameters: Parameters, headers: Record<string, string> = basic(), query = '') =>
    async (side: Side) =>
      side.send(path + query, post({ ...(await form(side)), ...parameters }, headers))
  /** Appends text to the form of the valid request. */
  const append =
    (text: string, headers: Record<string, string> = basic()) =>
    async (side: Side) => {
      const { body } = post(await form(side))
      return side.send(path, post(`${body}${text}`, headers))
    }
  const type = (value: string) => ({ ...basic(), 'content-type': value })
  const id = encodeURIComponent('shop')
  const pair = `${id}:${encodeURIComponent(secret)}`

  return [
    ['accepts the secret in the Basic header', success, send({})],
    ['accepts the secret in the form', success, send(ofForm, {})],
    ['accepts an equal client_id beside Basic', success, send({ client_id: 'shop' })],
    ['accepts Basic in another letter case', success, send({}, { authorization: `bASIC ${btoa(pair)}` })],
    ['accepts Basic without padding', success, send({}, { authorization: `Basic ${btoa(pair).replace(/=+$/, '')}` })],
    ['decodes a percent-encoded id', success, send({}, encode(`%73hop:${encodeURIComponent(secret)}`))],
    ['decodes a plus as a space', success, send({}, encode(pair.replaceAll('%20', '+')))],
    ['refuses a secret that is not percent-encoded', '400 invalid_request', send({}, encode(`shop:${secret}`))],
    ['refuses another client_id beside Basic', '400 invalid_request', send({ client_id: 'market' })],
    ['refuses two ways to authenticate', '400 invalid_request', send({ client_secret: secret })],
    ['refuses Basic without a colon', '400 invalid_request', send({}, encode('shop'))],
    ['refuses Basic that is not base64', '400 invalid_request', send({}, { authorization: 'Basic c2hvc-' })],
    ['refuses Basic with wrong padding', '400 invalid_request', send({}, { authorization: `Basic ${btoa(pair)}=` })],
    ['refuses Basic without a value', '400 invalid_request', send({}, { authorization: 'Basic' })],
    ['reads two spaces after Basic', success, send({}, { authorization: `Basic  ${btoa(pair)}` })],
    ['refuses an empty secret in Basic', '400 invalid_request', send({}, encode('shop:'))],
    ['refuses an empty id in Basic', '400 invalid_request', send({}, encode(`:${encodeURIComponent(secret)}`))],
    ['refuses an incomplete percent-encoding', '400 invalid_request', send({}, encode('shop:%zz'))],
    ['refuses NUL in Basic', '400 invalid_request', send({}, encode('shop%00:x'))],
    ['refuses other characters than ASCII in Basic', '400 invalid_request', send({}, encode('shöp:x'))],
    ['refuses a Bearer header', '400 invalid_request', send({}, { authorization: 'Bearer abc' })],
    ['refuses a wrong secret in Basic', '401 invalid_client', send({}, basic('shop', 'wrong'))],
    ['refuses a wrong secret in the form', '401 invalid_client', send({ ...ofForm, client_secret: 'wrong' }, {})],
    ['refuses an unknown client in Basic', '401 invalid_client', send({}, basic('nobody', secret))],
    ['refuses an unknown client in the form', '401 invalid_client', send({ ...ofForm, client_id: 'nobody' }, {})],
    ['refuses an id of other characters', '401 invalid_client', send({ ...ofForm, client_id: 'shöp' }, {})],
    ['refuses a confidential client without a secret', '401 invalid_client', send({ client_id: 'shop' }, {})],
    ['takes an empty secret for none', '401 invalid_client', send({ ...ofForm, client_secret: '' }, {})],
    ['refuses a secret of a public client', '401 invalid_client', send({ ...ofForm, client_id: 'game' }, {})],
    ['refuses Basic of a public client', '401 invalid_client', send({}, basic('game', 'x'))],
    ['refuses a request without a client', '400 invalid_request', send({}, {})],
    ['takes an empty client_id for none', '400 invalid_request', send({ client_id: '', client_secret: '' }, {})],
    ['ignores client_id in the query', '400 invalid_request', send({}, {}, '?client_id=game')],
    ['refuses a repeated client_id', '400 invalid_request', append('&client_id=shop&client_id=shop')],
    ['ignores an unknown parameter', success, send({ further: '1' })],
    ['ignores an empty parameter', success, send({ further: '' })],
    ['reads a repeated unknown parameter', '400 invalid_request', append('&further=1&further=2')],
    ['reads a malformed percent-encoding as text', success, append('&further=%zz')],
    ['accepts a form with a charset', success, send({}, type('application/x-www-form-urlencoded; charset=utf-8'))],
    ['accepts a form in another letter case', success, send({}, type('Application/X-WWW-Form-URLEncoded'))],
    ['refuses JSON', '400 invalid_request', send({}, type('application/json'))],
    ['refuses a body of too many bytes', '413 too-large', send({ further: 'x'.repeat(100_000) })],
    ['lets pages of the client read the response', success, send({}, { ...basic(), origin: 'https://shop.example' })],
    ['refuses pages of others', '400 invalid_request', send({}, { ...basic(), origin: 'https://evil.example' })],
    ['allows pages to send requests', '204', ({ send }) => send(path, preflight)],
    [
      'refuses more than 20 parameters',
      '400 invalid_request',
      append(Array.from({ length: 21 }, (_, index) => `&x${index}=1`).join('')),
    ],
    ['refuses NUL in a parameter', '400 invalid-text', send({ further: '\0' })],
    ...methodRows(path, ['GET', 'HEAD', 'DELETE']),
    ['does not find another letter case', '404 not-found', ({ send }) => send(path.toUpperCase(), post({}, {}))],
  ]
}

/** Returns the cases of methods that an endpoint does not have. */
export const methodRows = (path: string, methods: string[]): Row[] =>
  methods.map((method) => [
    `refuses ${method}`,
    method === 'HEAD' ? '405' : '405 method-not-allowed',
    ({ send }) => send(path, { method }),
  ])

const preflight: RequestInit = {
  method: 'OPTIONS',
  headers: {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'dpop',
  },
}
