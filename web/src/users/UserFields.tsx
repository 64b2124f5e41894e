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
      <div className="sm:col-span-2">
        <Field label="Display name" autoComplete="off" error={errorOf('displayname')} {...register('displayname')} />
      </div>
      <div className="grid gap-2.5">
        <Field
          label="Email"
          placeholder="Optional"
          type="email"
          autoComplete="off"
          error={errorOf('email')}
          {...register('email')}
        />
        <Check {...register('emailVerified')}>Email verified</Check>
      </div>
      <Field
        label="Username"
        placeholder="Optional"
        hint="3 to 32 lowercase letters, digits and . - _"
        autoComplete="off"
        spellCheck={false}
        error={errorOf('username')}
        {...register('username')}
      />
    </div>
  )
}
