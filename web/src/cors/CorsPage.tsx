import { type CorsStack, listCorsStacks } from '@passport/contract/cors'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { OriginsForm } from './OriginsForm.tsx'

const isStackName = (text: string) => /^[a-z0-9-]{1,40}$/.test(text)

/** The origins that may call the stacks from browsers; `?stack=` selects a stack, also one that is not saved yet. */
export function CorsPage() {
  const { stack: selected } = useSearch({ strict: false }) as { stack?: unknown }
  const stacks = useQuery(query(listCorsStacks, {}))
  if (!stacks.data)
    return (
      <>
        <h1>Allowed origins</h1>
        <p className="mt-1 mb-6 text-ink2">Web apps on these origins may call Passport with a token.</p>
        {stacks.error ? (
          <ErrorCard failure={toFailure(stacks.error, 'load the origins')} onRetry={() => void stacks.refetch()} />
        ) : (
          <div className="card min-h-[420px]">
            <Skeleton label="Loading origins" rows={4} />
          </div>
        )}
      </>
    )
  const own = stacks.data.find(({ isOwn }) => isOwn)
  const name = isStackName(String(selected ?? '')) ? String(selected) : (own?.stack ?? '')
  const stack = stacks.data.find((known) => known.stack === name) ?? createStack(name)
  return (
    <OriginsForm key={name} stack={stack}>
      <StackList stacks={stacks.data} selected={name} />
    </OriginsForm>
  )
}

/** A stack before its origins are saved for the first time. */
const createStack = (stack: string): CorsStack => ({
  stack,
  isOwn: false,
  origins: [],
  isSaved: false,
  configured: null,
  revision: 0,
  updatedAt: null,
  updatedBy: null,
})

function StackList({ stacks, selected }: { stacks: CorsStack[]; selected: string }) {
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const names = stacks.map(({ stack }) => stack)
  const listed = names.includes(selected) ? stacks : [...stacks, createStack(selected)]

  function add(event: FormEvent) {
    event.preventDefault()
    if (!isStackName(name)) return setError('Use letters a to z, digits and hyphens, at most 40.')
    setAdding(false)
    setName('')
    return void navigate({ to: '.', search: { stack: name } as never })
  }

  return (
    <Card
      title="Stacks"
      action={
        !isAdding && (
          <Button onClick={() => setAdding(true)} aria-label="Add stack">
            Add
          </Button>
        )
      }
    >
      <ul className="pb-1.5">
        {listed.map(({ stack, isOwn, origins }) => (
          <li key={stack} className="border-t border-hair first:border-0">
            <Link
              to="/admin/cors"
              search={{ stack } as never}
              aria-current={stack === selected ? 'true' : undefined}
              className="flex min-h-[46px] flex-wrap items-center justify-between gap-x-3 px-4 py-1 hover:bg-well aria-[current]:bg-selection aria-[current]:font-[600] sm:px-[18px]"
            >
              <span className="[overflow-wrap:anywhere]">{stack}</span>
              <span className="text-[13px] font-normal text-ink3">{isOwn ? 'This server' : origins.length}</span>
            </Link>
          </li>
        ))}
      </ul>
      {isAdding && (
        <form onSubmit={add} className="grid gap-3 border-t border-hair px-4 py-3.5 sm:px-[18px]">
          <Field
            label="Name of the stack"
            value={name}
            error={error}
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={({ target }) => {
              setName(target.value)
              setError(undefined)
            }}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setAdding(false)}>Cancel</Button>
            <Button type="submit" variant="primary">
              Continue
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
