import { getCurrentUser } from '@passport/contract/current-user'
import { getDeveloperTokensClient } from '@passport/contract/developer-tokens'
import { guides } from '@passport/contract/guides'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Braces, FileJson, KeyRound } from 'lucide-react'
import { ValidTokensCard } from '../developer-tokens/ValidTokensCard.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Step } from '../ui/Step.tsx'
import { query } from './api.ts'
import { GuideLink } from './GuideLink.tsx'

/** The home page of developers: quick start, guides and valid tokens. */
export function DeveloperPage() {
  return (
    <div>
      <h1>Overview</h1>
      <div className="cols mt-6 grid-rows-[auto_1fr]">
        <div className="[&_h2]:text-[17px]">
          <QuickStart />
        </div>
        <div className="row-span-2 max-[1100px]:row-span-1">
          <GuidesCard />
        </div>
        <ValidTokensCard />
      </div>
    </div>
  )
}

/** Formats a call for a shell that has the token in `PASSPORT_TOKEN`. */
const toCurl = (url: string) => `curl '${url}' \\\n  -H "Authorization: Bearer $PASSPORT_TOKEN"`

function QuickStart() {
  const { data } = useQuery({ ...query(getDeveloperTokensClient, {}), staleTime: Number.POSITIVE_INFINITY })
  const curl = toCurl((data?.authority ?? location.origin) + getCurrentUser.path)
  return (
    <Card title="Quick start">
      <ol className="grid grid-cols-1 gap-5 px-4 pb-5 sm:px-[18px]">
        <Step number={1} title="Get a token">
          <p className="text-ink2">Valid for an hour. It acts as you, with your roles.</p>
          <Link to="/developer/tokens" className={`${buttonClass('primary')} mt-2.5`}>
            <KeyRound size={16} /> Get a token
          </Link>
        </Step>
        <Step number={2} title="Call the API">
          <div className="mt-1 flex items-start gap-2 rounded-ctl bg-well py-1.5 pr-1.5 pl-3">
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
              tabIndex={0}
              className="min-w-0 flex-1 overflow-x-auto py-1 font-mono text-[12.5px]"
            >
              {curl}
            </pre>
            <CopyButton text={curl} label="Copy cURL" />
          </div>
          <p className="mt-1.5 text-[13px] text-ink2">
            Store the token as <code className="font-mono text-[12.5px] text-ink">PASSPORT_TOKEN</code>
          </p>
        </Step>
        <Step number={3} title="Sign users in from your app">
          <p className="flex flex-wrap gap-x-4">
            <a className="link" href="/docs/your-first-client">
              With a server
            </a>
            <a className="link" href="/docs/your-first-browser-app">
              In the browser
            </a>
          </p>
        </Step>
      </ol>
    </Card>
  )
}

function GuidesCard() {
  return (
    <Card title="Guides">
      <ul className="pb-1.5">
        {guides.slice(0, 5).map(({ name, title, summary }) => (
          <GuideLink key={name} href={`/docs/${name}`} icon={BookOpen} title={title} summary={summary} />
        ))}
        <GuideLink href="/docs/api" icon={Braces} title="API reference" summary="Every call, with its access" />
        <GuideLink
          href="/passport/openapi.json"
          icon={FileJson}
          title="OpenAPI document"
          summary="For generated clients and API tools"
        />
      </ul>
    </Card>
  )
}
