/** Errors made by the SDK lack our registry's word and may carry its validator's listing. */
import { type ErrorReply, INTERNAL_ERROR, INVALID_PARAMS, isObject } from "./message.ts";

export function tidyError(message: object): object {
  const { error } = message as Partial<ErrorReply>;
  if (error === undefined || (isObject(error.data) && typeof error.data.code === "string")) return message;
  const listing = error.message.indexOf("[\n");
  const invalid = listing !== -1 && error.code === INTERNAL_ERROR;
  const code = invalid ? INVALID_PARAMS : error.code;
  const text =
    listing === -1 ? error.message : error.message.slice(0, listing).replace(/[:\s]+$/, "") || "Invalid params";
  const word = code === INTERNAL_ERROR ? "internal_error" : "invalid_input";
  const data = isObject(error.data) ? error.data : {};
  return { ...message, error: { code, message: text.slice(0, 500), data: { ...data, code: word } } };
}
