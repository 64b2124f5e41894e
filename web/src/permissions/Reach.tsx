import { Loaded } from '../app/Loaded.tsx'
import { LookupSection } from './LookupSection.tsx'
import { askedOfResources } from './lookup-search.ts'
import { useSchema } from './schema.ts'
import { resourcesOf } from './use-found.ts'

/** All that applications let a person do, each with its path. */
export function Reach({ userId }: { userId: string }) {
  const subject = { type: 'passport/user', id: userId }
  return (
    <Loaded query={useSchema()} label="Loading permissions" rows={2}>
      {(schema) => {
        const asked = askedOfResources(schema, subject, {})
        if (asked.length === 0)
          return <p className="text-ink2">No application gives people of the directory anything.</p>
        return (
          <div className="grid gap-3">
            {asked.map((one) => (
              <LookupSection
                key={`${one.type} ${one.permission}`}
                title={`${one.type} · ${one.permission}`}
                left={resourcesOf(subject, one, {})}
                parts={undefined}
                side={undefined}
              />
            ))}
          </div>
        )
      }}
    </Loaded>
  )
}
