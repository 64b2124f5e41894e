import type { Client } from '@passport/contract/clients'
import { listIdentityApis } from '@passport/contract/identity-apis'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { Check } from '../ui/Check.tsx'

interface ApiScopeChecksProps {
  value: Client['apis']
  onChange: (apis: Client['apis']) => void
  error?: string | undefined
}

/** The scopes of identity APIs that an application has on its own behalf; nothing until there is an API. */
export function ApiScopeChecks({ value, onChange, error }: ApiScopeChecksProps) {
  const list = useQuery(query(listIdentityApis, { query: { limit: 200 } }))
  const apis = list.data?.items.filter(({ builtIn }) => !builtIn) ?? []
  if (apis.length === 0) return null
  const chosenOf = (name: string) => value.find((api) => api.name === name)?.scopes ?? []
  const choose = (name: string, scopes: string[]) => {
    const others = value.filter((api) => api.name !== name)
    onChange(scopes.length > 0 ? [...others, { name, scopes }] : others)
  }
  return (
    <>
      {apis.map(({ id, name, displayName, scopes }) => (
        <fieldset key={id} className="mt-2">
          <legend className="text-[13px] text-ink2">{displayName}</legend>
          <div className="flex flex-wrap gap-x-6">
            {[name, ...scopes.map((scope) => scope.name)].map((scope) => (
              <Check
                key={scope}
                checked={chosenOf(name).includes(scope)}
                onChange={({ target }) =>
                  choose(
                    name,
                    target.checked ? [...chosenOf(name), scope] : chosenOf(name).filter((other) => other !== scope),
                  )
                }
              >
                <code className="font-mono text-[13px]">{scope}</code>
              </Check>
            ))}
          </div>
        </fieldset>
      ))}
      {error && (
        <p role="alert" className="mt-1 text-[13px] text-bad">
          {error}
        </p>
      )}
    </>
  )
}
