import * as z from 'zod/mini'
import type { FieldCode } from './field-codes.ts'

/** The longest URI of a client, in UTF-16 code units. */
const maxUriLength = 2000

const rule = (error: string) => ({ error, params: { code: 'uri-invalid' satisfies FieldCode } })
const parse = (text: string) => (text.length <= maxUriLength ? URL.parse(text) : null)
const isWeb = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:'
const isLoopback = ({ hostname }: URL) => /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

const uri = z.string().check(
  z.refine((text) => parse(text) !== null, rule(`Must be an absolute URI of at most ${maxUriLength} characters.`)),
  // Plain http can be read and changed in transit (RFC 9700, section 2.6).
  z.refine((text) => {
    const url = parse(text)
    return url?.protocol !== 'http:' || isLoopback(url)
  }, rule('Must be https. Plain http is allowed only for localhost.')),
  z.refine((text) => {
    const url = parse(text)
    return !url || (url.username === '' && url.password === '')
  }, rule('Must not contain a user name or password.')),
)

/** A URL of another server to which Passport sends requests. */
export const WebUrl = uri.check(
  z.refine((text) => {
    const url = parse(text)
    return !url || isWeb(url)
  }, rule('Must be an https URL.')),
)

/** The target of a redirect back to an application (RFC 6749, section 3.1.2; RFC 8252, section 7.1 for app schemes). */
export const ReturnUri = uri.check(
  z.refine((text) => {
    const url = parse(text)
    return !url || isWeb(url) || url.protocol.includes('.')
  }, rule('Must be https, or an app scheme that is a reversed domain name, such as com.example.app:/callback.')),
)

/** The target of an authorization response, compared exactly (RFC 9700, section 2.1). */
export const RedirectUri = ReturnUri.check(z.refine((text) => !text.includes('#'), rule('Must not have a fragment.')))
