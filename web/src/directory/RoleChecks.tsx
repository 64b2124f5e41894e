import { listRoles } from '@passport/contract/roles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { failureOf, query } from '../app/api.ts'
import { Check } from '../ui/Check.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

interface RoleChecksProps {
  label: string
  picked: string[]
  onPick: (picked: string[]) => void
  error?: string | undefined
}

/** With more roles than this one is looked for. */
const fewRoles = 12

/** A box for each role there is, those that are picked first where they are searched. */
export function RoleChecks({ label, picked, onPick, error }: RoleChecksProps) {
  const id = useId()
  const [word, setWord] = useState('')
  const roles = useQuery({
    ...query(listRoles, { query: { limit: 200, ...(word && { query: word }) } }),
    placeholderData: keepPreviousData,
  })
  if (roles.error) return <ErrorCard failure={failureOf(roles.error)} onRetry={() => void roles.refetch()} />
  if (!roles.data) return <Skeleton label="Loading roles" rows={3} />
  const found = roles.data.items
  const others = picked.filter((name) => !found.some((role) => role.name === name))
  const toggle = (name: string) =>
    onPick(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name])
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="sr-only">{label}</legend>
      {(word !== '' || found.length > fewRoles) && (
        <div className="mb-2">
          <SearchBox label="Search roles" placeholder="Name or description" value={word} onSearch={setWord} />
        </div>
      )}
      <div className="grid max-h-96 overflow-y-auto">
        {[...others.map((name) => ({ name, description: '' })), ...found].map(({ name, description }) => (
          <Check key={name} className="flex! py-1.5" checked={picked.includes(name)} onChange={() => toggle(name)}>
            <span className="min-w-0 leading-snug">
              <span className="block font-mono text-[13px] break-words">{name}</span>
              {description && <span className="block text-[13px] text-ink2">{description}</span>}
            </span>
          </Check>
        ))}
      </div>
      {word !== '' && found.length === 0 && <p className="py-2 text-ink2">No roles match.</p>}
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[13px] text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}
