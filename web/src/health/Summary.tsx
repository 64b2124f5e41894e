import type { Health } from '@passport/contract/health'
import { CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { describeCheck } from '../directory/check-words.ts'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { summarise } from './words.ts'

/** The state of the whole in one sentence, since when, and what users notice. */
export function Summary({ health }: { health: Health }) {
  const nameProvider = useProviderName()
  const counted = health.checks.filter(({ status }) => status !== 'off')
  const affected = ['down', 'slow'].flatMap((status) => counted.filter((check) => check.status === status))
  const upCount = counted.length - affected.length
  const first = affected.toSorted((a, b) => a.since.localeCompare(b.since))[0]
  const isDown = affected.some(({ status }) => status === 'down')
  const [icon, tone]: [LucideIcon, Tone] =
    affected.length === 0 ? [CircleCheck, 'ok'] : isDown ? [CircleX, 'bad'] : [TriangleAlert, 'warn']
  return (
    <Banner
      icon={icon}
      tone={tone}
      title={summarise(health, nameProvider)}
      aside={`${upCount} of ${counted.length} up`}
    >
      {first ? (
        <>
          Since <RelativeTime at={first.since} inSentence />.{' '}
          {affected.map(({ name }) => describeCheck(name, nameProvider).effect).join(' ')}
        </>
      ) : (
        `${health.instances.length === 1 ? '1 server runs' : `${health.instances.length} servers run`}`
      )}
    </Banner>
  )
}

/** Why there is no current answer, and how old the last one below is. */
export function Outage({ title, detail, health }: { title: string; detail: string; health: Health | undefined }) {
  return (
    <Banner icon={CircleX} tone="bad" title={title}>
      {detail} {health && 'What follows is the last answer.'}
    </Banner>
  )
}

type Tone = 'ok' | 'warn' | 'bad'

const tones: Record<Tone, { text: string; border: string }> = {
  ok: { text: 'text-ok', border: 'border-l-ok' },
  warn: { text: 'text-warn', border: 'border-l-warn' },
  bad: { text: 'text-bad', border: 'border-l-bad' },
}

interface BannerProps {
  icon: LucideIcon
  tone: Tone
  title: string
  aside?: string
  children: ReactNode
}

function Banner({ icon: Icon, tone, title, aside, children }: BannerProps) {
  return (
    <section
      aria-label="Summary"
      role="status"
      className={`card flex min-h-23 flex-wrap items-center gap-x-4 gap-y-2 border-l-4 px-5 py-4 ${tones[tone].border}`}
    >
      <Icon size={28} strokeWidth={1.75} className={`shrink-0 ${tones[tone].text}`} />
      <div className="min-w-0 flex-1">
        <p className="text-[20px] leading-7 font-[640] tracking-[-0.01em] [overflow-wrap:anywhere]">{title}</p>
        <p className="text-ink2">{children}</p>
      </div>
      {aside && <p className="text-[13px] whitespace-nowrap text-ink2 max-sm:w-full max-sm:pl-11">{aside}</p>}
    </section>
  )
}
