import type { Cookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'

/** How long a registration lives: AWS accepts its token for as long. */
export const registrationHours = 4
/** A browser keeps the handles of its last registrations. */
const maxHandles = 3
const separator = '.'

type Secure = Pick<HttpContext, 'isSecure'>

/**
 * The names of both cookies. A landing writes the first one without seeing it: browsers send SameSite=Lax cookies with
 * no form of another site. So a handle that our own page has seen is kept in the second one, which no other site can
 * make us replace.
 */
function namesOf({ isSecure }: Secure) {
  const landed = isSecure ? '__Host-passport-mp' : 'passport-mp'
  return { landed, kept: `${landed}-kept` }
}

/** Returns the handles that a browser sent, without duplicates: those of landings first, each newest first. */
export function readHandles(cookies: Pick<Cookies, 'get'>, http: Secure): string[] {
  const { landed, kept } = namesOf(http)
  return [...new Set([...split(cookies.get(landed)), ...split(cookies.get(kept))])]
}

/** Adds the handle of a landing; the oldest of more than three is dropped. */
export function addHandle(cookies: Cookies, http: Secure, handle: string): void {
  write(cookies, namesOf(http).landed, [handle, ...readHandles(cookies, http)])
}

/** Protects handles, newest first, against later landings. */
export function keepHandles(cookies: Cookies, http: Secure, handles: string[]): void {
  const { kept } = namesOf(http)
  const before = split(cookies.get(kept))
  if (handles.slice(0, maxHandles).some((handle) => !before.includes(handle))) write(cookies, kept, handles)
}

const split = (value: string | undefined) =>
  (value ?? '')
    .split(separator)
    .slice(0, maxHandles)
    .filter((handle) => /^[\w-]{43}$/.test(handle))

const write = (cookies: Cookies, name: string, handles: string[]) =>
  cookies.set(name, handles.slice(0, maxHandles).join(separator), { maxAgeSeconds: registrationHours * 60 * 60 })
