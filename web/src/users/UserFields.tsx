import type { ComponentProps } from 'react'
import { Check } from '../ui/Check.tsx'
import { Field } from '../ui/Field.tsx'

interface UserFieldsProps {
  /** The form's `register`. */
  register: (name: 'displayname' | 'email' | 'emailVerified' | 'username') => ComponentProps<'input'>
  errorOf: (name: 'displayname' | 'email' | 'username') => string | undefined
  /** The padding; empty in a card that has its own. */
  className?: string
}

/** The identifying fields of a user. */
export function UserFields({ register, errorOf, className = 'px-4 pb-[18px] sm:px-[18px]' }: UserFieldsProps) {
  return (
    <div className={`grid items-start gap-4 sm:grid-cols-2 ${className}`}>
      <Field label="Display name" autoComplete="off" error={errorOf('displayname')} {...register('displayname')} />
      <div className="grid gap-2.5 sm:order-1">
        <Field
          label="Email"
          hint="Optional."
          type="email"
          autoComplete="off"
          error={errorOf('email')}
          {...register('email')}
        />
        <Check {...register('emailVerified')}>Email verified</Check>
      </div>
      <Field
        label="Username"
        hint="Optional. 3 to 32 lowercase letters, digits, dots, hyphens and underscores."
        autoComplete="off"
        spellCheck={false}
        error={errorOf('username')}
        {...register('username')}
      />
    </div>
  )
}
