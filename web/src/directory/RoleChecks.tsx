import { listRoles } from '@passport/contract/roles'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
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

/** The number of roles above which a search is shown. */
const searchThreshold = 12

/** A checkbox for each role; selected roles outside the search results come first. */
export function RoleChecks({ label, picked, onPick, error }: RoleChecksProps) {
  const id = useId()
  const [searchText, setSearchText] = useState('')
  const roles = useQuery({
    ...query(listRoles, { query: { limit: 200, ...(searchText && { query: searchText }) } }),
    placeholderData: keepPreviousData,
  })
  if (roles.error) return <ErrorCard failure={toFailure(roles.error)} onRetry={() => void roles.refetch()} />
  if (!roles.data) return <Skeleton label="Loading roles" rows={3} />
  const matches = roles.data.items
  const otherPicked = picked.filter((name) => !matches.some((role) => role.name === name))
  const toggle = (name: string) =>
    onPick(picked.includes(name) ? picked.filter((existing) => existing !== name) : [...picked, name])
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend className="sr-only">{label}</legend>
      {(searchText !== '' || matches.length > searchThreshold) && (
        <div className="mb-2">
          <SearchBox
            label="Search roles"
            placeholder="Name or description"
            value={searchText}
            onSearch={setSearchText}
          />
        </div>
      )}
      <div className="grid max-h-96 overflow-y-auto">
        {[...otherPicked.map((name) => ({ name, description: '' })), ...matches].map(({ name, description }) => (
          <Check key={name} className="flex! py-1.5" checked={picked.includes(name)} onChange={() => toggle(name)}>
            <span className="min-w-0 leading-snug">
              <span className="block font-mono text-[13px] break-words">{name}</span>
              {description && <span className="block text-[13px] text-ink2">{description}</span>}
            </span>
          </Check>
        ))}
      </div>
      {searchText !== '' && matches.length === 0 && <p className="py-2 text-ink2">No roles match</p>}
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[13px] text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}
