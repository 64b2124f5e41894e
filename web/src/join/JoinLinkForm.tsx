import type { LinkKind } from '@passport/contract/join'
import { useState } from 'react'
import { toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'

/** The settings of a new link. */
export interface JoinLinkSettings {
  role: 'member' | 'admin'
  maxUses: number | null
  expiresAt: string | null
  domains: string[]
  email: string | null
}

interface JoinLinkFormProps {
  kind: LinkKind
  error: unknown
  isBusy: boolean
  onSubmit: (settings: JoinLinkSettings) => void
  onClose: () => void
}

const expiryOptions = [
  { value: '1', label: 'In 1 day' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '', label: 'Never' },
] as const
const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const
const dayMs = 24 * 60 * 60 * 1000

/** The form of a new join link: role, number of uses, expiry, and allowed domains or email address. */
export function JoinLinkForm({ kind, error, isBusy, onSubmit, onClose }: JoinLinkFormProps) {
  const [values, setValues] = useState({ role: 'member', maxUses: '', days: '7', domains: '', email: '' })
  const field = (name: keyof typeof values) => ({
    value: values[name],
    error: findFieldError(error, name === 'days' ? 'expiresAt' : name),
    onChange: ({ target }: { target: { value: string } }) => setValues({ ...values, [name]: target.value }),
  })
  const hasFieldError = ['role', 'maxUses', 'expiresAt', 'domains', 'email'].some((name) => findFieldError(error, name))
  return (
    <form
      noValidate
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(parseSettings(values))
      }}
    >
      {kind === 'org' && <Select label="Role" options={roles} {...field('role')} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Maximum uses" inputMode="numeric" placeholder="Unlimited" {...field('maxUses')} />
        <Select label="Expires" options={expiryOptions} {...field('days')} />
      </div>
      <Field
        label="Allowed email domains"
        hint="Comma-separated. If empty, anyone with the link can join."
        placeholder="contoso.com"
        autoCapitalize="none"
        spellCheck={false}
        {...field('domains')}
      />
      <Field
        label="Allowed email address"
        type="email"
        autoComplete="off"
        placeholder="someone@contoso.com"
        {...field('email')}
      />
      <p role="status" className="rounded-ctl bg-well px-3 py-2 text-ink2">
        {describeSettings(kind, parseSettings(values))}
      </p>
      {Boolean(error) && !hasFieldError && <ErrorCard failure={toFailure(error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Create link
        </Button>
      </div>
    </form>
  )
}

const parseSettings = ({ role, maxUses, days, domains, email }: Record<string, string>): JoinLinkSettings => ({
  role: role === 'admin' ? 'admin' : 'member',
  // A non-numeric value is sent as 0, so that the service reports it at its field.
  maxUses: maxUses?.trim() ? Number(maxUses) || 0 : null,
  expiresAt: days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null,
  domains: (domains ?? '').split(/[\s,;]+/).filter(Boolean),
  email: email?.trim() || null,
})

/** Describes a link: “Anyone can join with this link as a member until 30 Nov 2026. It can be used once.” */
export function describeSettings(
  kind: LinkKind,
  { role, maxUses, expiresAt, domains, email }: JoinLinkSettings,
): string {
  const audience =
    email ?? (domains.length > 0 ? `Anyone with an email address at ${listFormat.format(domains)}` : 'Anyone')
  const roleText = kind === 'org' ? ` as ${role === 'admin' ? 'an admin' : 'a member'}` : ''
  const end = expiresAt ? ` until ${dayFormat.format(Date.parse(expiresAt))}` : ''
  const hasLimit = maxUses !== null && maxUses >= 1 && !email
  const limit = hasLimit ? ` It can be used ${maxUses === 1 ? 'once' : `${maxUses.toLocaleString('en')} times`}.` : ''
  return `${audience} can join with this link${roleText}${end}.${limit}`
}

const listFormat = new Intl.ListFormat('en', { type: 'disjunction' })
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
