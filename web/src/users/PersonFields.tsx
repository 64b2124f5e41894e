import type { ComponentProps } from 'react'
import { Check } from '../ui/Check.tsx'
import { Field } from '../ui/Field.tsx'

interface PersonFieldsProps {
  /** What the form gives a field of this name. */
  registered: (name: 'displayname' | 'email' | 'emailVerified' | 'username') => ComponentProps<'input'>
  errorOf: (name: 'displayname' | 'email' | 'username') => string | undefined
}

/** What a person is known by. */
export function PersonFields({ registered, errorOf }: PersonFieldsProps) {
  return (
    <div className="grid gap-4 px-5 pb-5">
      <Field label="Display name" autoComplete="off" error={errorOf('displayname')} {...registered('displayname')} />
      <Field label="E-mail" type="email" autoComplete="off" error={errorOf('email')} {...registered('email')} />
      <Check {...registered('emailVerified')}>The e-mail is known to be theirs</Check>
      <Field
        label="Username"
        hint="Optional. 3 to 32 small letters, digits, dots, hyphens and underscores."
        autoComplete="off"
        spellCheck={false}
        error={errorOf('username')}
        {...registered('username')}
      />
    </div>
  )
}
