import { Loaded } from '../app/Loaded.tsx'
import { useSchema } from '../permissions/schema.ts'
import { LookupSection } from './LookupSection.tsx'
import { findLookupTargets } from './lookup-search.ts'
import { resourceLookup } from './use-lookup-items.ts'

/** A person's permissions in applications, each with its path. */
export function Reach({ userId }: { userId: string }) {
  const subject = { type: 'passport/user', id: userId }
  return (
    <Loaded query={useSchema()} label="Loading permissions" rows={2}>
      {(schema) => {
        const targets = findLookupTargets(schema, subject, {})
        if (targets.length === 0) return <p className="text-ink2">No app defines permissions for directory users.</p>
        return (
          <div className="grid gap-3">
            {targets.map((target) => (
              <LookupSection
                key={`${target.type} ${target.permission}`}
                title={`${target.type} · ${target.permission}`}
                left={resourceLookup(subject, target, {})}
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
