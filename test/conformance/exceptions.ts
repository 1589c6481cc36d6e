/**
 * Checks of the official conformance suite that this server does not pass, and why that is right. Everything else must
 * pass. A listed check that passes, or fails for another reason, is an error too. The suite is written for a
 * reference server that offers every feature of the protocol through dedicated tools.
 */
export interface Exception {
  readonly reason: string;
  /** What the suite reports if this is the cause. */
  readonly says: RegExp;
  /** Scenario/check. */
  readonly checks: readonly string[];
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    reason: "calls a tool of the suite's reference server; a product does not ship test tools",
    says: /Unknown tool: test_|not list the diagnostic tool 'test_|'json_schema_2020_12_tool' not found/,
    checks: [
      "tools-call-simple-text/tools-call-simple-text",
      "tools-call-image/tools-call-image",
      "tools-call-audio/tools-call-audio",
      "tools-call-embedded-resource/tools-call-embedded-resource",
      "tools-call-mixed-content/tools-call-mixed-content",
      "tools-call-error/tools-call-error",
      "tools-call-with-progress/tools-call-with-progress",
      "tools-call-sampling/tools-call-sampling",
      "tools-call-elicitation/tools-call-elicitation",
      "elicitation-sep1034-defaults/elicitation-sep1034-general",
      "elicitation-sep1330-enums/elicitation-sep1330-general",
      "json-schema-2020-12/json-schema-2020-12-tool-found",
      "server-stateless/sep-2575-server-rejects-undeclared-capability",
      "server-stateless/sep-2575-missing-capability-http-400",
      "server-stateless/sep-2575-http-server-no-independent-requests-on-stream",
      "server-stateless/sep-2575-server-no-log-without-loglevel",
    ],
  },
  {
    reason: "the server never asks its caller for input, so it has no tool that would",
    says: /Unknown tool: test_input_required|Method not found|Expected InputRequiredResult|InputRequiredResult/,
    checks: [
      "input-required-result-basic-elicitation/sep-2322-elicitation-incomplete",
      "input-required-result-basic-sampling/sep-2322-sampling-incomplete",
      "input-required-result-basic-list-roots/sep-2322-list-roots-incomplete",
      "input-required-result-request-state/sep-2322-request-state-incomplete",
      "input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete",
      "input-required-result-multi-round/sep-2322-multi-round-r1",
      "input-required-result-non-tool-request/sep-2322-non-tool-incomplete",
      "input-required-result-result-type/sep-2322-result-type-included",
      "input-required-result-tampered-state/sep-2322-reject-tampered-state",
      "input-required-result-capability-check/sep-2322-respect-client-capabilities",
      "input-required-result-ignore-extra-params/sep-2322-ignore-unexpected-params",
      "input-required-result-missing-input-response/sep-2322-missing-response-rerequests",
    ],
  },
  {
    reason: "prompts, resources, completion and logging are optional; the server offers and declares tools only",
    says: /Method not found|got -32601|data\.uri is undefined/,
    checks: [
      "prompts-list/prompts-list",
      "prompts-get-simple/prompts-get-simple",
      "prompts-get-with-args/prompts-get-with-args",
      "prompts-get-embedded-resource/prompts-get-embedded-resource",
      "prompts-get-with-image/prompts-get-with-image",
      "resources-list/resources-list",
      "resources-read-text/resources-read-text",
      "resources-read-binary/resources-read-binary",
      "resources-templates-read/resources-templates-read",
      "resources-subscribe/resources-subscribe",
      "resources-unsubscribe/resources-unsubscribe",
      "sep-2164-resource-not-found/sep-2164-error-code",
      "sep-2164-resource-not-found/sep-2164-data-uri",
      "caching/sep-2549-prompts-list-caching-hints",
      "caching/sep-2549-resources-list-caching-hints",
      "caching/sep-2549-resources-templates-list-caching-hints",
      "completion-complete/completion-complete",
      "logging-set-level/logging-set-level",
      "tools-call-with-logging/tools-call-with-logging",
    ],
  },
  {
    reason: "no parameter of a tool is meant to travel as an HTTP header",
    says: /no tool with x-mcp-header annotations/,
    checks: [
      "http-custom-header-server-validation/sep-2243-server-no-xmcp-tool",
      "http-custom-header-server-validation/sep-2243-server-decode-base64",
      "http-custom-header-server-validation/sep-2243-server-validate-param-match",
      "http-custom-header-server-validation/sep-2243-server-reject-invalid-param-chars",
      "http-custom-header-server-validation/sep-2243-server-reject-param-mismatch",
    ],
  },
];

/** Scenarios of extensions that the server does not declare; no revision of the protocol requires them. */
export const NOT_DECLARED = /^(tasks|sep-2640-skills)-/;
