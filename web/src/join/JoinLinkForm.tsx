import { ApiError } from '@passport/contract/call'
import type { LinkKind } from '@passport/contract/join'
import { useState } from 'react'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'

/** What a link is to be like. */
export interface Wish {
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
  onSubmit: (wish: Wish) => void
  onClose: () => void
}

const lives = [
  { value: '1', label: 'In one day' },
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: '', label: 'Never' },
] as const
const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const
const dayMs = 24 * 60 * 60 * 1000

/** Who may come in by a new link, as what, how many and until when. */
export function JoinLinkForm({ kind, error, isBusy, onSubmit, onClose }: JoinLinkFormProps) {
  const [typed, setTyped] = useState({ role: 'member', maxUses: '', days: '7', domains: '', email: '' })
  const field = (name: keyof typeof typed) => ({
    value: typed[name],
    error: faultIn(error, name === 'days' ? 'expiresAt' : name),
    onChange: ({ target }: { target: { value: string } }) => setTyped({ ...typed, [name]: target.value }),
  })
  const told = ['role', 'maxUses', 'expiresAt', 'domains', 'email'].some((name) => faultIn(error, name))
  return (
    <form
      noValidate
      className="mt-4 grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(wishOf(typed))
      }}
    >
      {kind === 'org' && <Select label="They join as" options={roles} {...field('role')} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="How many may join" inputMode="numeric" placeholder="Any number" {...field('maxUses')} />
        <Select label="Ends" options={lives} {...field('days')} />
      </div>
      <Field
        label="Only people with an address at"
        hint="Domains with commas. Left empty, anyone with the link may join."
        placeholder="contoso.com"
        autoCapitalize="none"
        spellCheck={false}
        {...field('domains')}
      />
      <Field
        label="Only the person with the address"
        type="email"
        autoComplete="off"
        placeholder="someone@contoso.com"
        {...field('email')}
      />
      {Boolean(error) && !told && <ErrorCard failure={failureOf(error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Create link
        </Button>
      </div>
    </form>
  )
}

const wishOf = ({ role, maxUses, days, domains, email }: Record<string, string>): Wish => ({
  role: role === 'admin' ? 'admin' : 'member',
  // What is no number goes to the service as it is wrong, and is told of beside its field.
  maxUses: maxUses?.trim() ? Number(maxUses) || 0 : null,
  expiresAt: days ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null,
  domains: (domains ?? '').split(/[\s,;]+/).filter(Boolean),
  email: email?.trim() || null,
})

function faultIn(error: unknown, field: string): string | undefined {
  const faults = error instanceof ApiError ? error.problem?.errors : undefined
  return faults?.find((fault) => fault.field.split('[')[0] === field)?.message
}
