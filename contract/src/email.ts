import * as z from 'zod/mini'

/** The longest address that a mail server takes (RFC 5321, section 4.5.3.1.3). */
const maxLength = 254

/** An e-mail address as it is typed, without spaces around it. Addresses that differ in case alone are the same one. */
export const Email = z.string().check(
  z.trim(),
  z.refine((text) => isEmail(text), {
    error: 'Must be an e-mail address, such as ada@example.com.',
    params: { code: 'email-invalid' },
  }),
)

const address = z.email()
const isEmail = (text: string) => text.length <= maxLength && z.safeParse(address, text).success
