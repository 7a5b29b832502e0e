// What keys and tokens of services look like: how they begin, what follows, how much of it, and how mixed it is at least. The facts are those of
// the default rules of gitleaks 8 (https://github.com/gitleaks/gitleaks, MIT licence, © 2019 Zachary Rice) and of the services' own pages.

/** Characters behind the beginning. */
export type Alphabet = 'hex' | 'alnum' | 'upper' | 'word' | 'dotted' | 'base64';

export interface SecretRule {
  readonly service: string;
  readonly starts: readonly string[];
  readonly alphabet: Alphabet;
  /** How many characters follow. */
  readonly length: readonly [least: number, most: number];
  /** Bits of Shannon entropy in each character of what follows; absent: 2.5. */
  readonly entropy?: number;
}

const rule = (
  service: string,
  starts: string,
  alphabet: Alphabet,
  least: number,
  most = least,
  entropy?: number,
): SecretRule => ({
  service,
  starts: starts.split(' '),
  alphabet,
  length: [least, most],
  ...(entropy === undefined ? {} : { entropy }),
});

export const SECRET_RULES: readonly SecretRule[] = [
  rule('1Password', 'ops_eyJ', 'base64', 100, 2000),
  rule('1Password', 'A3-', 'upper', 30, 40),
  rule('Adafruit', 'aio_', 'alnum', 28),
  rule('Adobe', 'p8e-', 'hex', 32),
  rule('age', 'AGE-SECRET-KEY-1', 'alnum', 58),
  rule('Airtable', 'pat', 'dotted', 78, 82),
  rule('Alibaba Cloud', 'LTAI', 'alnum', 16, 24),
  rule('Anthropic', 'sk-ant-api03- sk-ant-admin01- sk-ant-oat01-', 'word', 20, 120),
  rule('Atlassian', 'ATATT3', 'base64', 100, 220),
  rule('Bitbucket', 'ATBB', 'alnum', 20, 40, 3),
  rule('AWS', 'AKIA ASIA ABIA ACCA A3T', 'upper', 16, 17),
  rule('Beamer, Mailgun', 'key-', 'hex', 32),
  rule('Clojars', 'CLOJARS_', 'alnum', 60),
  rule('Cloudflare', 'v1.0-', 'word', 100, 200),
  rule('Databricks', 'dapi', 'hex', 32, 34),
  rule('DigitalOcean', 'dop_v1_ doo_v1_ dor_v1_', 'hex', 64),
  rule('Docker', 'dckr_pat_ dckr_oat_', 'word', 27, 40),
  rule('Doppler', 'dp.pt. dp.st. dp.ct.', 'dotted', 40, 64),
  rule('Duffel', 'duffel_test_ duffel_live_', 'word', 43),
  rule('Dynatrace', 'dt0c01.', 'dotted', 80, 100),
  rule('EasyPost', 'EZAK EZTK', 'alnum', 54),
  rule('Figma', 'figd_ figu_ figr_', 'word', 38, 60),
  rule('Flutterwave', 'FLWSECK_TEST- FLWSECK-', 'word', 12, 60),
  rule('Fly.io', 'fo1_', 'word', 43),
  rule('Frame.io', 'fio-u-', 'word', 64),
  rule('GitHub', 'ghp_ gho_ ghu_ ghs_ ghr_', 'alnum', 20, 255, 3),
  rule('GitHub', 'github_pat_', 'word', 22, 100, 3),
  rule(
    'GitLab',
    'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-',
    'dotted',
    16,
    80,
    2.8,
  ),
  rule('GitLab', 'GR1348941', 'word', 20),
  rule('Google', 'AIza', 'word', 35, 35, 3),
  rule('Google', 'ya29. GOCSPX-', 'dotted', 20, 400, 3),
  rule('Grafana', 'glc_ glsa_', 'base64', 32, 400, 3),
  rule('Groq', 'gsk_', 'alnum', 40, 60),
  rule('Harness', 'pat. sat.', 'dotted', 60, 80),
  rule('HashiCorp Vault', 'hvs. hvb. hvr.', 'word', 24, 300, 3),
  rule('Heroku', 'HRKU-AA', 'word', 58),
  rule('Hugging Face', 'hf_ api_org_', 'alnum', 24, 40, 2.8),
  rule('Infracost', 'ico-', 'alnum', 32),
  rule('LangSmith', 'lsv2_pt_ lsv2_sk_', 'word', 40, 60),
  rule('Linear', 'lin_api_ lin_oauth_', 'alnum', 40, 64),
  rule('Mapbox', 'pk.eyJ sk.eyJ', 'dotted', 40, 300),
  rule('New Relic', 'NRAK- NRII- NRRA-', 'word', 27, 48),
  rule('Notion', 'ntn_', 'alnum', 40, 60),
  rule('npm', 'npm_', 'alnum', 24, 64, 2.8),
  rule('Octopus Deploy', 'API-', 'upper', 25, 30, 3),
  rule('OpenAI', 'sk-proj- sk-svcacct- sk-admin- sk-None- sess-', 'word', 20, 220, 3),
  rule('OpenAI and those that write their keys alike', 'sk-', 'alnum', 20, 100, 3),
  rule('OpenRouter', 'sk-or-v1-', 'hex', 40, 80),
  rule('OpenShift', 'sha256~', 'word', 43),
  rule('Perplexity', 'pplx-', 'alnum', 40, 60),
  rule('PlanetScale', 'pscale_tkn_ pscale_oauth_ pscale_pw_', 'dotted', 32, 64),
  rule('Postman', 'PMAK-', 'word', 50, 70),
  rule('Prefect', 'pnu_', 'alnum', 36),
  rule('Pulumi', 'pul-', 'hex', 40),
  rule('PyPI', 'pypi-', 'word', 24, 1000, 3),
  rule('Readme', 'rdme_', 'alnum', 70),
  rule('Replicate', 'r8_', 'alnum', 37, 40),
  rule('RubyGems', 'rubygems_', 'hex', 48),
  rule('Scalingo', 'tk-us-', 'word', 48),
  rule('SendGrid', 'SG.', 'dotted', 40, 80, 3),
  rule('Sendinblue', 'xkeysib-', 'word', 64, 90),
  rule('Sentry', 'sntrys_ sntryu_', 'base64', 64, 400),
  rule('Shippo', 'shippo_live_ shippo_test_', 'hex', 40),
  rule('Shopify', 'shpat_ shpca_ shppa_ shpss_', 'alnum', 32),
  rule('Slack', 'xoxb- xoxp- xoxa- xoxe- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb- xapp-', 'dotted', 10, 300),
  rule('Snyk', 'snyk_uat. snyk_sat.', 'dotted', 60, 200),
  rule('SonarQube', 'squ_ sqp_ sqa_', 'alnum', 40),
  rule('Square', 'sq0atp- sq0csp- EAAA', 'word', 22, 80, 3),
  rule('Stripe', 'sk_test_ sk_live_ sk_prod_ rk_test_ rk_live_ rk_prod_ whsec_', 'base64', 10, 220),
  rule('Supabase', 'sbp_ sb_secret_', 'word', 30, 60),
  rule('Tencent Cloud', 'AKID', 'alnum', 32, 48, 3),
  rule('Twilio', 'SK AC', 'hex', 32, 32, 3),
  rule('Typeform', 'tfp_', 'dotted', 40, 70),
  rule('Volcengine', 'AKLT', 'word', 30, 60, 3),
  rule('xAI', 'xai-', 'alnum', 70, 90),
];
