module Shop.Main exposing (main)
import Html exposing (text)

{-| The model. -}
type alias Model =
    { count : Int
    , name : String
    }

type Msg
    = Add
    | Remove Int

update : Msg -> Model -> Model
update msg model =
    model

main = text "main"
